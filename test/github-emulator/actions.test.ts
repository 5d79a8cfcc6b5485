import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../github-emulator/index.ts';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

const ci = `
name: CI
on:
  push:
    branches: ['bot-**']
  pull_request:
jobs:
  unit:
    name: unit tests
    if: \${{ !startsWith(github.head_ref, 'bot-') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - id: greet
        run: echo "word=hello" >> "$GITHUB_OUTPUT"
      - run: |
          echo "$GITHUB_EVENT_NAME says \${{ steps.greet.outputs.word }}"
          test ! -e broken.txt
  after:
    needs: unit
    runs-on: ubuntu-latest
    steps:
      - run: test -n "$TOKEN"
        env:
          TOKEN: \${{ secrets.GITHUB_TOKEN }}
`;
const deploy = `
name: Deploy
on:
  workflow_dispatch:
    inputs:
      stage: { type: choice, options: [test, live], required: true }
      note: { default: none }
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - run: echo "to \${{ inputs.stage }}, \${{ inputs.note }}"
`;
const talk = `
on: workflow_dispatch
jobs:
  push:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: git push origin HEAD:refs/heads/bot-of-actions
  slow:
    runs-on: ubuntu-latest
    timeout-minutes: 0.002
    steps:
      - run: sleep 60
  impatient:
    runs-on: ubuntu-latest
    steps:
      - run: sleep 60
        timeout-minutes: 0.002
`;
const folder = '.github/workflows';

let w: EmulatorWorld;
beforeAll(async () => {
  w = await emulatorWorld();
  mkdirSync(join(w.clone.directory, folder), { recursive: true });
  await w.clone.push('main', {
    [`${folder}/ci.yml`]: ci,
    [`${folder}/deploy.yml`]: deploy,
    [`${folder}/talk.yml`]: talk,
  });
});
afterEach(async () => {
  await w.emulator.controls.clear();
  w.expectNoMistakes();
});
afterAll(async () => await w[Symbol.asyncDispose]());

interface Run {
  readonly id: number;
  readonly event: string;
  readonly status: string | null;
  readonly conclusion: string | null;
  readonly run_attempt?: number;
}

async function runsOf(sha: string): Promise<Run[]> {
  await w.emulator.core.settled();
  return (await w.bot.actions.listWorkflowRunsForRepo({ ...w.place, head_sha: sha })).data.workflow_runs;
}

async function conclusionsOf(sha: string): Promise<Record<string, string | null>> {
  await w.emulator.core.settled();
  const { data } = await w.bot.checks.listForRef({ ...w.place, ref: sha });
  return Object.fromEntries(data.check_runs.map(({ name, conclusion }) => [name, conclusion]));
}

describe('a workflow', () => {
  it('runs step by step for an opened pull request', async () => {
    const { sha } = await w.open('works');
    const [run] = await runsOf(sha);
    expect(run).toMatchObject({ event: 'pull_request', status: 'completed', conclusion: 'success' });
    expect(await conclusionsOf(sha)).toEqual({ 'unit tests': 'success', after: 'success' });
    const { data } = await w.bot.actions.listJobsForWorkflowRun({ ...w.place, run_id: run?.id ?? 0 });
    const [unit] = data.jobs;
    expect(unit?.steps?.map(({ conclusion }) => conclusion)).toEqual(['success', 'success', 'success']);
    const log = await w.bot.actions.downloadJobLogsForWorkflowRun({ ...w.place, job_id: unit?.id ?? 0 });
    expect(log.data).toContain('pull_request says hello');
  });

  it('fails at its failing step, and jobs that need the failed job are skipped', async () => {
    const { sha } = await w.open('fails', { 'broken.txt': '' });
    expect(await conclusionsOf(sha)).toEqual({ 'unit tests': 'failure', after: 'skipped' });
    const [run] = await runsOf(sha);
    expect(run?.conclusion).toBe('failure');
  });

  it('runs on the push of a bot branch, and its condition skips the run for the pull request of that branch', async () => {
    const { sha } = await w.open('bot-1');
    const runs = await runsOf(sha);
    expect(runs.map(({ event, conclusion }) => [event, conclusion])).toEqual([
      ['pull_request', 'skipped'],
      ['push', 'success'],
    ]);
  });

  it('does not run for a commit whose message contains [skip ci]', async () => {
    await w.clone.git('checkout', '--quiet', '-B', 'bot-quiet', 'origin/main');
    await w.clone.git('commit', '--quiet', '--allow-empty', '--message', 'Quiet [skip ci]');
    await w.clone.git('push', '--quiet', 'origin', 'bot-quiet');
    expect(await runsOf(await w.clone.git('rev-parse', 'HEAD'))).toEqual([]);
  });

  it('fails at start if its file is invalid, and fails in the job if a step uses an action that the emulator does not have', async () => {
    const odd = ci.replace('actions/checkout@v4', 'actions/cache@v4');
    const foreign = await w.clone.push('bot-foreign', { [`${folder}/ci.yml`]: odd });
    expect((await conclusionsOf(foreign))['unit tests']).toBe('failure');
    const broken = await w.clone.push('bot-broken', { [`${folder}/ci.yml`]: 'on: push\njobs: 7\n' });
    expect(await runsOf(broken)).toMatchObject([{ event: 'push', conclusion: 'startup_failure' }]);
  });
});

describe('outcomes that a test sets by `controls.checks`', () => {
  it('replace the steps, and are asked for again at each rerun', async () => {
    w.emulator.controls.checks(({ name, attempt }) => (name === 'after' || attempt > 1 ? 'success' : 'failure'));
    const { sha } = await w.open('scripted');
    expect(await conclusionsOf(sha)).toEqual({ 'unit tests': 'failure', after: 'skipped' });
    const { data } = await w.bot.checks.listForRef({ ...w.place, ref: sha, check_name: 'unit tests' });
    await w.bot.actions.reRunJobForWorkflowRun({ ...w.place, job_id: data.check_runs[0]?.id ?? 0 });
    expect(await conclusionsOf(sha)).toEqual({ 'unit tests': 'success', after: 'success' });
    expect(await runsOf(sha)).toMatchObject([{ run_attempt: 2, conclusion: 'success' }]);
    const after = await w.bot.checks.listForRef({ ...w.place, ref: sha, check_name: 'after' });
    await w.bot.checks.rerequestRun({ ...w.place, check_run_id: after.data.check_runs[0]?.id ?? 0 });
    expect(await runsOf(sha)).toMatchObject([{ run_attempt: 3, conclusion: 'success' }]);
    const all = await w.bot.checks.listForRef({ ...w.place, ref: sha, filter: 'all' });
    expect(all.data.check_runs.map(({ name }) => name).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'after'),
      ...Array.from({ length: 3 }, () => 'unit tests'),
    ]);
  });

  it('may be pending until the test decides them or the run is cancelled', async () => {
    let outcome: 'pending' | 'success' = 'pending';
    w.emulator.controls.checks(() => outcome);
    const { sha } = await w.open('pending');
    const { sha: other } = await w.open('cancelled');
    const [run] = await runsOf(other);
    expect(run?.status).toBe('in_progress');
    await w.bot.actions.cancelWorkflowRun({ ...w.place, run_id: run?.id ?? 0 });
    await expect.poll(async () => (await runsOf(other))[0]?.conclusion).toBe('cancelled');
    await expect(w.bot.actions.cancelWorkflowRun({ ...w.place, run_id: run?.id ?? 0 })).rejects.toMatchObject({
      status: 409,
    });
    outcome = 'success';
    await expect.poll(async () => (await runsOf(sha))[0]?.conclusion).toBe('success');
  });
});

it('a push with the token of a job starts no workflow, and jobs and steps end at their time limit', async () => {
  const main = await w.clone.git('rev-parse', 'origin/main');
  await w.bot.actions.createWorkflowDispatch({ ...w.place, workflow_id: 'talk.yml', ref: 'main' });
  expect(await conclusionsOf(main)).toEqual({ push: 'success', slow: 'cancelled', impatient: 'failure' });
  expect(await w.clone.git('ls-remote', 'origin', 'refs/heads/bot-of-actions')).toContain(main);
  expect((await runsOf(main)).map(({ event }) => event)).not.toContain('push');
});

describe('a dispatch of a workflow', () => {
  const dispatch = async (inputs: Record<string, string>, ref = 'main') =>
    await w.bot.request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...w.place,
      workflow_id: 'deploy.yml',
      ref,
      inputs,
      return_run_details: true,
    });

  it('starts a run with the given inputs, and returns the id of the run', async () => {
    const { data } = await dispatch({ stage: 'live' });
    const { workflow_run_id: id } = data as { workflow_run_id: number };
    await w.emulator.core.settled();
    const run = await w.bot.actions.getWorkflowRun({ ...w.place, run_id: id });
    expect(run.data).toMatchObject({ event: 'workflow_dispatch', conclusion: 'success', head_branch: 'main' });
    const { data: listed } = await w.bot.actions.listJobsForWorkflowRun({ ...w.place, run_id: id });
    const log = await w.bot.actions.downloadJobLogsForWorkflowRun({ ...w.place, job_id: listed.jobs[0]?.id ?? 0 });
    expect(log.data).toContain('to live, none');
  });

  it.each([
    [{ stage: 'live', color: 'red' }, 'main', 'Unexpected inputs provided: ["color"]'],
    [{}, 'main', "Required input 'stage' not provided"],
    [{ stage: 'moon' }, 'main', "Provided value 'moon' for input 'stage' not in the list of allowed values"],
    [{ stage: 'live' }, 'nowhere', 'No ref found for: nowhere'],
  ])('with inputs %j on %s is refused', async (inputs, ref, message) => {
    await expect(dispatch(inputs, ref)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining(message) as string,
    });
  });
});

it('an emulator that starts again continues the jobs that had not ended', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'stopped-'));
  const first = await startEmulator({ dataDir });
  const source = 'on: workflow_dispatch\njobs: { wait: { runs-on: x, steps: [{ run: sleep 0.1 }] } }\n';
  first.controls.checks(() => 'pending');
  await first.addRepository('slow', { files: { [`${folder}/slow.yml`]: source } });
  const place = { owner: first.owner, repo: 'slow' };
  const before = new Octokit({ baseUrl: first.apiUrl, auth: first.token });
  await before.actions.createWorkflowDispatch({ ...place, workflow_id: 'slow.yml', ref: 'main' });
  const runOf = async (octokit: Octokit) =>
    (await octokit.actions.listWorkflowRunsForRepo(place)).data.workflow_runs[0];
  expect((await runOf(before))?.status).toBe('in_progress');
  await first.stop();
  const second = await startEmulator({ dataDir });
  try {
    const after = new Octokit({ baseUrl: second.apiUrl, auth: second.token });
    await second.core.settled();
    expect(await runOf(after)).toMatchObject({ status: 'completed', conclusion: 'success' });
  } finally {
    await second.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
