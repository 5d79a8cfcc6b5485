// The workflows of docs/github.md, run by the emulator in one repository: bot branches, final gates, deployments and
// previews of pull requests.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiToken } from '../../../src/modules/accounts/index.ts';
import { createEventHub } from '../../../src/modules/events/index.ts';
import { replaceConfiguration } from '../../../src/modules/repositories/index.ts';
import { createHttpOut } from '../../../src/platform/http-out/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { createVerifying, previewOptionsFrom } from '../../../src/previews.ts';
import { createReleaseDriving } from '../../../src/providers.ts';
import { startServer } from '../../../src/server.ts';
import { readPage } from '../../docs/pages.ts';
import { releasesOf, type Releases, type ReleasingWorld } from '../../support/release-world.ts';
import { inFull } from '../../support/tier.ts';
import { configurationYaml, parallel } from '../../support/world.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

/** The workflows of the page, by file. The name of the file is above its block. */
function workflowsOfDocs(): Record<string, string> {
  const named = readPage('docs/github.md').blocks.filter(({ text }) => /^jobs:/m.test(text));
  const files = Object.fromEntries(
    named.map(({ text }) => [`${/^name: (\w+)/.exec(text)?.[1]?.toLowerCase() ?? ''}.yml`, text]),
  );
  expect(Object.keys(files).toSorted()).toEqual(['deploy.yml', 'preview.yml', 'smoke.yml', 'test.yml', 'update.yml']);
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`.github/workflows/${name}`, text]));
}

const scripts = {
  'scripts/test.sh': 'test ! -e bad\n',
  'scripts/smoke.sh': 'test ! -e explodes\n',
  'scripts/deploy.sh': 'echo "$2 to $1"; test ! -e sinks\n',
};

const requiresTest = 'preconditions:\n  use_github_mergeability: false\n  required_checks:\n    - test\n';
const gate = 'final_gates:\n  - {workflow: smoke.yml, timeout_mins: 5}\n';

let w: QueueWorld;
let r: Releases<QueueWorld & ReleasingWorld>;
let base: string;
const closing: (() => Promise<unknown> | void)[] = [];

beforeAll(async () => {
  w = await queueWorld({
    configuration: `${parallel({ batch: 1 })}${requiresTest}${gate}`,
    // The workflow of the docs replaces the workflow of the world.
    files: {
      '.github/workflows/ci.yml': 'on: workflow_dispatch\njobs: { none: { runs-on: x, steps: [{ run: "true" }] } }\n',
      ...workflowsOfDocs(),
      ...scripts,
    },
  });
  const { secrets = neverNull() } = w.engine;
  const http = createHttpOut({ allowPrivateAddresses: true });
  w.loop.releases.driving = createReleaseDriving(w.ctx, { secrets, http, sandbox: null, network: false });
  const verifying = await createVerifying(w.ctx, { secrets, http, sandbox: null, ...previewOptionsFrom({}, null) });
  w.loop.verifications.driving = verifying;
  closing.push(
    async () => await verifying.gateway.close(),
    () => http.close(),
  );
  base = await tipOf('main');
  const releasing = { ...w, secrets, git: async () => base };
  r = await releasesOf(releasing, {
    provider: { kind: 'github_actions', workflow: 'deploy.yml' },
    until: async (isSo) => await w.until(isSo),
  });
});
afterAll(async () => {
  await w.loop.releases.ended();
  await w.loop.verifications.ended();
  for (const close of closing.toReversed()) await close();
  await w[Symbol.asyncDispose]();
});

function neverNull(): never {
  throw new Error('The world has no secrets.');
}

let url: Promise<string> | null = null;

/** Starts a server for the requests of workflows. Returns its address. */
async function serve(): Promise<string> {
  url ??= (async () => {
    const hub = createEventHub({ db: w.ctx.db, log: pino({ level: 'silent' }) });
    const { secrets = neverNull() } = w.engine;
    const server = await startServer({ ports: w.ctx, secrets, hub, port: 0, host: '127.0.0.1' });
    closing.push(
      async () => await hub.close(),
      async () => await server.close(),
    );
    return server.url;
  })();
  return await url;
}

interface SeenRun {
  readonly commit: string;
  readonly conclusion: string | null;
  readonly branch: string | null;
}

/** The runs that Interlock started, the oldest first. */
async function runsOf(file: string): Promise<SeenRun[]> {
  const { data } = await w.person.actions.listWorkflowRuns({
    ...w.place,
    workflow_id: file,
    event: 'workflow_dispatch',
  });
  return data.workflow_runs
    .map(({ head_sha: commit, conclusion, head_branch: branch }) => ({ commit, conclusion, branch }))
    .toReversed();
}

async function tipOf(branch: string): Promise<string> {
  return (await w.person.repos.getBranch({ ...w.place, branch })).data.commit.sha;
}

async function checksOf(
  commit: string,
  name: string,
): Promise<{ conclusion: string | null; url: string | null; title: string | null }[]> {
  const { data } = await w.person.checks.listForRef({ ...w.place, ref: commit, check_name: name });
  return data.check_runs.map(({ conclusion, details_url: url, output }) => ({ conclusion, url, title: output.title }));
}

/** The process dies at the failpoint, and another process goes on. */
async function dyingAt(failpoint: string, work: () => Promise<unknown>): Promise<void> {
  const release = onFailpoint(failpoint, async () => await Promise.reject(new Error('the process died')));
  await expect(work()).rejects.toThrow('the process died');
  release();
  await wakeQueues();
  await work();
}

/** Wakes the queues after rows were changed by hand. The new version makes a turn decide. */
async function wakeQueues(): Promise<void> {
  for (const { id } of await w.rows<{ id: string }>('update queue set version = version + 1 returning id'))
    await w.ctx.wake({ accountId: w.ctx.accountId, queueId: id });
}

async function configure(rules: string, more = ''): Promise<void> {
  const yaml = `${configurationYaml(`${parallel({ batch: 1 })}${rules}`)}${more}`;
  const outcome = await replaceConfiguration(w.ctx, { repository: { owner: w.place.owner, name: w.place.repo }, yaml });
  expect(outcome.kind).toBe('accepted');
}

async function statusOf(number: number): Promise<string> {
  const [row] = await w.rows<{ status_code: number | null; status_text: string | null }>(
    'select status_code, status_text from pull_request where number = $1',
    [number],
  );
  return `${row?.status_code} ${row?.status_text}`;
}

test('a final gate runs once on the commit that lands, even if the process dies after GitHub has started it', async () => {
  const number = await w.open('good', { good: '1\n' });
  await w.label(number);
  await dyingAt('github:after_dispatch', async () => await w.settled(number));
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(await runsOf('smoke.yml')).toEqual([
    { commit: await tipOf('main'), conclusion: 'success', branch: expect.stringMatching(/^mq-/) as string },
  ]);
});

test('a failed final gate blocks the pull request, and the status names the job and the step', async () => {
  const number = await w.open('bad', { explodes: '1\n' });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
  expect(await statusOf(number)).toBe(
    '119 The final gate smoke.yml failed: The job smoke failed at its step "Run sh scripts/smoke.sh".',
  );
});

test.each(inFull('slow'))('a final gate that takes too long is canceled at GitHub', async (branch) => {
  const number = await w.open(branch, { [branch]: '1\n' });
  w.emulator.controls.checks(({ name }) => (name === 'smoke' ? 'pending' : null));
  await w.label(number);
  await w.until(async () => (await w.rows("select 1 from gate_run where state = 'running'")).length === 1);
  await w.rows("update gate_run set planned_at = planned_at - interval '6 minutes' where state = 'running'");
  await wakeQueues();
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
  expect(await statusOf(number)).toBe('119 The final gate smoke.yml did not succeed within 5 min.');
  await w.until(async () => (await runsOf('smoke.yml')).at(-1)?.conclusion === 'cancelled');
  await w.emulator.controls.clear();
});

test.each(inFull('gated'))(
  'a final gate without a workflow blocks the pull request, and the status says what to do',
  async (branch) => {
    await configure(`${requiresTest}final_gates:\n  - {workflow: absent.yml, timeout_mins: 5}\n`);
    const number = await w.open(branch, { [branch]: '1\n' });
    await w.label(number);
    expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
    expect(await statusOf(number)).toBe(
      '119 The final gate absent.yml failed: it could not be started: GitHub has no workflow "absent.yml" on the default branch of the repository. Add .github/workflows/absent.yml to this branch.',
    );
  },
);

test('a deployment runs its workflow once on the commit of its candidate, even if the process dies in between', async () => {
  await r.candidate('v1-rc1');
  const release = onFailpoint('github:after_dispatch', async () => {
    release();
    await Promise.reject(new Error('the process died'));
  });
  await r.deploy('v1-rc1');
  await r.become('v1-rc1 success');
  expect(await runsOf('deploy.yml')).toEqual([
    { commit: base, conclusion: 'success', branch: expect.stringMatching(/^mq-tmp-run-/) as string },
  ]);
  const { state } = w.emulator.core;
  const jobs = state.workflowJobs.filter(({ name }) => name === 'deploy');
  expect(jobs.map(({ log }) => log).join('')).toContain('v1-rc1 to production');
});

test('a failed deployment names the step, and a rollback deploys the older commit', async () => {
  const sinking = await w.push('release/2', { sinks: '1\n' });
  await r.candidate('v2-rc1', { commit: sinking });
  await r.deploy('v2-rc1');
  await r.become('v1-rc1 success', 'v2-rc1 failure');
  const [, failed] = await r.deployments();
  expect(failed?.error_message).toContain('The job deploy failed at its step "Run sh scripts/deploy.sh');
  const floating = await w.push('release/2', { sinks: null, floats: '1\n' });
  await r.candidate('v2-rc2', { commit: floating });
  await r.deploy('v2-rc2');
  await r.become('v1-rc1 success', 'v2-rc1 failure', 'v2-rc2 success');
  await r.rollBack();
  await r.become('v1-rc1 success', 'v2-rc1 failure', 'v2-rc2 success', 'v1-rc1 success');
  expect((await runsOf('deploy.yml')).map(({ commit }) => commit)).toEqual([base, sinking, floating, base]);
});

test('a canceled deployment cancels its run, and the next deployment starts', async () => {
  w.emulator.controls.checks(({ name }) => (name === 'deploy' ? 'pending' : null));
  const id = await r.deploy('v2-rc2');
  await w.until(async () => (await runsOf('deploy.yml')).at(-1)?.conclusion === null);
  await r.cancel(id);
  await w.until(async () => (await r.line()).at(-1) === 'v2-rc2 canceled');
  expect((await runsOf('deploy.yml')).at(-1)?.conclusion).toBe('cancelled');
  await w.emulator.controls.clear();
});

test('a deployment whose workflow is disabled ends with the page that enables it', async () => {
  const fullName = `${w.place.owner}/${w.place.repo}`;
  w.emulator.controls.disableWorkflow(fullName, 'deploy.yml', true);
  await r.deploy('v2-rc2');
  await w.until(async () => (await r.line()).at(-1) === 'v2-rc2 error');
  expect((await r.deployments()).at(-1)?.error_message).toContain(
    `Enable the workflow: ${w.emulator.webUrl}/${fullName}/actions/workflows/deploy.yml`,
  );
});

test('no branch of a run is left', async () => {
  const left = async (): Promise<string[]> => {
    const { data } = await w.person.repos.listBranches({ ...w.place, per_page: 100 });
    return data.map(({ name }) => name).filter((name) => name.startsWith('mq-tmp-run-'));
  };
  await expect.poll(left).toEqual([]);
});

test('a workflow requests a runbook, once', async () => {
  w.emulator.setSecrets(`${w.place.owner}/${w.place.repo}`, { INTERLOCK_URL: await serve(), INTERLOCK_TOKEN: w.token });
  await w.person.actions.createWorkflowDispatch({ ...w.place, workflow_id: 'update.yml', ref: 'main' });
  await w.emulator.core.settled();
  expect(await runsOf('update.yml')).toMatchObject([{ conclusion: 'success' }]);
  expect(await w.rows('select text from runbook_prompt')).toEqual([
    { text: 'Update the dependencies, one pull request for each.' },
  ]);
});

test('a workflow registers a preview, and its verification is a check at GitHub for which the landing waits', async () => {
  const preview = createServer((_request, response) => void response.end('welcome'));
  await new Promise<void>((resolve) => preview.listen(0, '127.0.0.1', resolve));
  closing.push(() => void preview.close());
  const { secrets = neverNull() } = w.engine;
  const { token } = await createApiToken(w.ctx, secrets, {
    kind: 'account',
    name: 'CI',
    scopes: ['preview:register'],
  });
  w.emulator.setSecrets(`${w.place.owner}/${w.place.repo}`, { INTERLOCK_URL: await serve(), INTERLOCK_TOKEN: token });
  await configure(
    requiresTest.replace('- test', '- test\n    - interlock/verify'),
    'verify:\n  preview:\n    - {name: staging, method: endpoint}\n',
  );
  const number = await w.open('shown', {
    'scripts/deploy-preview.sh': `echo http://127.0.0.1:${(preview.address() as AddressInfo).port}/\n`,
    '.service/verify/skills/staging.md': '## Home\n\n- `GET /`\n  - expect body contains `welcome`\n',
  });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  const { data } = await w.person.pulls.get({ ...w.place, pull_number: number });
  // Shows the runs beside the check, so that a failure of this test says why the check is not that of the last run.
  const told = async (): Promise<unknown> => ({
    checks: await checksOf(data.head.sha, 'interlock/verify'),
    runs: await w.rows('select attempt, status, published_check, problem from verification order by attempt'),
  });
  await expect.poll(told).toEqual({
    checks: [
      {
        conclusion: 'success',
        title: 'Verified',
        url: `${w.service.ports.publicUrl}/${w.place.owner}/${w.place.repo}/pull/${number}`,
      },
    ],
    runs: [{ attempt: 1, status: 'passed', published_check: 'success', problem: null }],
  });
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(w.emulator.core.mistakes).toEqual([]);
});
