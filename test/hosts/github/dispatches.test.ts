// Workflows that are started by name: one run for each key whatever happens to the request, on the given commit, and a
// message that says what to do if GitHub starts nothing.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import { HostRefused, HostUnavailable, type CodeHost, type WorkflowDispatch } from '../../../src/hosts/port.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { github, type GitHub, type GitHubWorld } from './github-world.ts';

const dispatching = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

const job = 'jobs: { work: { runs-on: ubuntu-latest, steps: [{ run: "true" }] } }\n';
const files = {
  'deploy.yml': `name: Deploy\non: { workflow_dispatch: { inputs: { environment: {} } } }\n${job}`,
  'smoke.yml': `on: workflow_dispatch\n${job}`,
  'breaks.yml': 'on: workflow_dispatch\njobs: { work: { runs-on: x, steps: [{ name: Reach it, run: exit 3 }] } }\n',
  'on-push.yml': `on: { push: { branches: [none] } }\n${job}`,
  'demanding.yml': `on: { workflow_dispatch: { inputs: { stage: { required: true } } } }\n${job}`,
  'disabled.yml': `on: workflow_dispatch\n${job}`,
};

let g: GitHub;
let w: GitHubWorld;
let main: string;
let keys = 0;
let commit: string;
let dispatch: (change?: Partial<WorkflowDispatch>, host?: CodeHost) => Promise<string>;

beforeAll(async () => {
  g = await github();
  w = await g.world();
  main = await w.push({
    branch: 'main',
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`.github/workflows/${name}`, text])),
  });
});
beforeEach(() => {
  keys += 1;
  const key = `key-${keys}`;
  commit = main;
  dispatch = async (change = {}, host = w.host) =>
    await host.dispatchWorkflow(w.repository, { workflow: 'deploy.yml', commit, key, branch: null, ...change });
});
afterEach(async () => await g.emulator.controls.clear());
afterAll(async () => await g.close());

/** Makes a commit for the test, so that the test can count the runs and branches of this commit. */
async function onOwnCommit(): Promise<void> {
  commit = await w.push({ branch: `mq-bot-${keys}`, from: main, files: { [`file-${keys}`]: '1\n' } });
}

const fullName = (): string => `${w.place.owner}/${w.place.repo}`;

async function runs(): Promise<string[]> {
  const { data } = await g.person.actions.listWorkflowRunsForRepo({
    ...w.place,
    head_sha: commit,
    event: 'workflow_dispatch',
  });
  return data.workflow_runs.map(({ id }) => String(id)).toReversed();
}

/** Lists the temporary branches of the commit. */
async function ownBranches(): Promise<string[]> {
  const refs = await w.host.listRefs(w.repository, 'refs/heads/');
  return refs
    .filter(({ ref, commit: at }) => ref.startsWith('refs/heads/mq-tmp-run-') && at === commit)
    .map(({ ref }) => ref);
}

async function ended(run: string, conclusion: string): Promise<string | null> {
  await expect.poll(async () => (await w.host.readWorkflowRun(w.repository, run))?.conclusion).toBe(conclusion);
  return (await w.host.readWorkflowRun(w.repository, run))?.summary ?? null;
}

test('a run without a bot branch has a branch of its own until it ends', async () => {
  await onOwnCommit();
  g.emulator.controls.checks(() => 'pending');
  const run = await dispatch({ inputs: { environment: 'live' } });
  expect(await dispatch()).toBe(run);
  expect(await runs()).toEqual([run]);
  expect(await ownBranches()).toHaveLength(1);
  g.emulator.controls.checks(() => 'success');
  expect(await ended(run, 'success')).toBe('Deploy');
  await expect.poll(ownBranches).toEqual([]);
});

test('a run that is cancelled leaves no branch', async () => {
  await onOwnCommit();
  g.emulator.controls.checks(() => 'pending');
  const run = await dispatch();
  await w.host.cancelWorkflowRun(w.repository, run);
  await expect.poll(ownBranches).toEqual([]);
  await ended(run, 'cancelled');
});

test('a bot branch at the commit is used, and a bot branch that somebody has moved is not', async () => {
  await onOwnCommit();
  const branch = `mq-bot-${keys}`;
  await dispatch({ branch });
  expect(await ownBranches()).toEqual([]);
  await w.push({ branch, files: { moved: '1\n' } });
  const run = await dispatch({ branch, key: `${branch}-moved` });
  const { data } = await g.person.actions.getWorkflowRun({ ...w.place, run_id: Number(run) });
  expect(data).toMatchObject({ head_sha: commit, head_branch: expect.stringMatching(/^mq-tmp-run-/) as string });
  await ended(run, 'success');
});

test('if an answer is lost, no second run starts', async () => {
  await onOwnCommit();
  g.emulator.controls.fail({ operation: dispatching, when: 'after', times: 1 });
  await expect(dispatch()).rejects.toThrow(HostUnavailable);
  const run = await dispatch();
  expect(await runs()).toEqual([run]);
});

test('if answers about two workflows on one bot branch are lost, each request finds its own run', async () => {
  await onOwnCommit();
  const branch = `mq-bot-${keys}`;
  const first = await dispatch({ branch });
  g.emulator.controls.fail({ operation: dispatching, when: 'after', times: 1 });
  const second = { branch, workflow: 'smoke.yml', key: `${branch}-second` };
  await expect(dispatch(second)).rejects.toThrow(HostUnavailable);
  expect(await runs()).toEqual([first, await dispatch(second)]);
});

test('if two runs match, neither is taken for the run of the request', async () => {
  await onOwnCommit();
  g.emulator.controls.fail({ operation: dispatching, when: 'after', times: 1 });
  await expect(dispatch()).rejects.toThrow(HostUnavailable);
  const [first] = await runs();
  // The second run is the run of another process that used the same key.
  const { state } = g.emulator.core;
  const { id: _id, ...same } = state.workflowRuns.must(Number(first));
  state.workflowRuns.insert(same);
  await expect(dispatch()).rejects.toThrow('GitHub started 2 runs for one request');
  await expect.poll(ownBranches).toEqual([]);
});

test('a request that never arrived is made again after GitHub has shown no run for two minutes', async () => {
  await onOwnCommit();
  let aheadMs = 0;
  const host = createGitHubHost({ ...g.hostOptions(), clock: () => new Date(Date.now() + aheadMs) });
  g.emulator.controls.fail({ operation: dispatching, when: 'before', times: 1 });
  await expect(dispatch({}, host)).rejects.toThrow(HostUnavailable);
  await expect(dispatch({}, host)).rejects.toThrow('GitHub does not show the run yet');
  aheadMs = 121_000;
  const run = await dispatch({}, host);
  expect(await runs()).toEqual([run]);
  await host.stop();
});

test('a clock that is 97 s ahead starts no second run', async () => {
  await onOwnCommit();
  const host = createGitHubHost({ ...g.hostOptions(), clock: () => new Date(Date.now() + 97_000) });
  g.emulator.controls.fail({ operation: dispatching, when: 'after', times: 1 });
  await expect(dispatch({}, host)).rejects.toThrow(HostUnavailable);
  expect([await dispatch({}, host)]).toEqual(await runs());
  await host.stop();
});

test('a process that needed more than a minute for its branch starts no second run', async () => {
  await onOwnCommit();
  const later = createGitHubHost({ ...g.hostOptions(), clock: () => new Date(Date.now() + 61_000) });
  const started: string[] = [];
  const release = onFailpoint('github:before_push', async () => {
    release();
    started.push(await dispatch({}, later));
  });
  await expect(dispatch()).rejects.toThrow('Another process starts this workflow now');
  expect(await runs()).toEqual(started);
  expect([await dispatch()]).toEqual(started);
  await later.stop();
});

test('a server that does not support run details is asked without them, and its run is found', async () => {
  await onOwnCommit();
  g.emulator.controls.runDetails(false);
  const run = await dispatch();
  expect(await runs()).toEqual([run]);
});

test('a workflow is named by its file or by its own name', async () => {
  const run = await dispatch({ workflow: 'Deploy' });
  expect(await ended(run, 'success')).toBe('Deploy');
});

test.each([
  [
    'that is missing',
    { workflow: 'absent.yml' },
    'GitHub has no workflow "absent.yml" on the default branch of the repository. Add .github/workflows/absent.yml to this branch.',
  ],
  [
    'whose name is missing',
    { workflow: 'Absent' },
    'GitHub has no workflow "Absent" on the default branch of the repository.',
  ],
  [
    'without the trigger',
    { workflow: 'on-push.yml' },
    /the workflow on-push\.yml: its file has no trigger workflow_dispatch at the commit .*\. Add `workflow_dispatch:` below `on:`\./,
  ],
  [
    'that does not declare an input',
    { workflow: 'smoke.yml', inputs: { environment: 'live' } },
    /Unexpected inputs provided.*add them below on -> workflow_dispatch -> inputs\./,
  ],
  [
    'that requires an unknown input',
    { workflow: 'demanding.yml' },
    /Required input 'stage' not provided.*give the input a default/,
  ],
])(
  'a workflow %s is refused with a message that says what to do, and no branch is left',
  async (_what, change, message) => {
    const refusal = await dispatch(change).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HostRefused);
    expect((refusal as Error).message).toMatch(message);
    await expect.poll(ownBranches).toEqual([]);
  },
);

test('a disabled workflow is refused with the page that enables it, and runs after it is enabled', async () => {
  const once = await dispatch({ workflow: 'disabled.yml', key: `${keys}-seen` });
  await ended(once, 'success');
  g.emulator.controls.disableWorkflow(fullName(), 'disabled.yml', true);
  await expect(dispatch({ workflow: 'disabled.yml' })).rejects.toThrow(
    `the workflow disabled.yml, because it is disabled at GitHub. Enable the workflow: ${g.emulator.webUrl}/${fullName()}/actions/workflows/disabled.yml`,
  );
  g.emulator.controls.disableWorkflow(fullName(), 'disabled.yml', false);
  await ended(await dispatch({ workflow: 'disabled.yml' }), 'success');
});

test('a run that failed names its job and its step', async () => {
  const run = await dispatch({ workflow: 'breaks.yml' });
  expect(await ended(run, 'failure')).toBe('The job work failed at its step "Reach it".');
});

test('a run on another commit than the requested one is a failure', async () => {
  await onOwnCommit();
  const run = await dispatch();
  Object.assign(g.emulator.core.state.workflowRuns.must(Number(run)), { headSha: main });
  expect(await ended(run, 'failure')).toBe(
    `GitHub ran the workflow on ${main} instead of ${commit}, because the branch was moved at that moment. Try again.`,
  );
});

test('a run of a repository that GitHub does not show does not count as gone, and a missing run does', async () => {
  const run = await dispatch();
  expect(await w.host.readWorkflowRun(w.repository, '999999')).toBeNull();
  g.emulator.controls.fail({ operation: '/repos/{owner}/{repo}/actions/runs/{run_id}', status: 404, times: 1 });
  g.emulator.controls.fail({ operation: '/repos/{owner}/{repo}', status: 404, times: 1 });
  await expect(w.host.readWorkflowRun(w.repository, run)).rejects.toThrow(HostUnavailable);
  g.emulator.controls.fail({ operation: dispatching, status: 404, times: 1 });
  g.emulator.controls.fail({ operation: '/repos/{owner}/{repo}', status: 404, times: 1 });
  await expect(dispatch({ key: `${keys}-gone` })).rejects.toThrow(HostUnavailable);
});

test('a run that GitHub has just made and does not show yet goes on, and one that GitHub does not show later is gone', async () => {
  const run = await dispatch();
  const reading = { operation: '/repos/{owner}/{repo}/actions/runs/{run_id}', status: 404, times: 1 } as const;
  g.emulator.controls.fail(reading);
  expect(await w.host.readWorkflowRun(w.repository, run)).toEqual({
    conclusion: 'pending',
    url: `${g.emulator.webUrl}/${fullName()}/actions/runs/${run}`,
    summary: null,
  });
  expect(await ended(run, 'success')).not.toBeNull();
  const later = createGitHubHost({ ...g.hostOptions(), clock: () => new Date(Date.now() + 121_000) });
  g.emulator.controls.fail(reading);
  expect(await later.readWorkflowRun(w.repository, run)).toBeNull();
  await later.stop();
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(g.emulator.core.mistakes).toEqual([]);
});
