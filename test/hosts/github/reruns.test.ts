// Checks that run again at GitHub, which starts a job only while no other job of its workflow run runs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import { loadBuilds } from '../../../src/modules/queue/facts/builds.loader.ts';
import { serial } from '../../support/world.ts';
import { github, type GitHub } from './github-world.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

let g: GitHub;
beforeAll(async () => void (g = await github()));
afterAll(async () => await g.close());

type Conclusion = 'success' | 'failure' | 'timed_out' | 'cancelled' | 'pending';

function workflowOf(names: readonly string[], on = 'push'): string {
  const jobs = names.map((name) => `  ${name}: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }\n`);
  return `on: ${on}\njobs:\n${jobs.join('')}`;
}

/** A commit with a workflow of these jobs. They have these conclusions at first. A job that runs again does not end. */
async function checkedCommit(first: Readonly<Record<string, Conclusion>>) {
  const { host, repository, push } = await g.world();
  g.emulator.controls.checks(({ name, attempt }) => (attempt === 1 ? (first[name] ?? null) : 'pending'));
  const names = Object.keys(first);
  const commit = await push({ branch: 'topic', files: { '.github/workflows/ci.yml': workflowOf(names) } });
  const read = async (): Promise<string[]> => {
    const { checks } = await host.readChecks(repository, commit, { expected: names, movedAt: null });
    return checks.map(({ name, attempt, conclusion }) => `${name} ${attempt} ${conclusion}`);
  };
  const started = Object.entries(first).map(([name, conclusion]) => `${name} 1 ${conclusion}`);
  await expect.poll(read).toEqual(started);
  return {
    read,
    rerun: async (...wanted: string[]) => (await host.rerunChecks(repository, commit, wanted)).toSorted(),
  };
}

test('all failed jobs of a workflow run start again by one request', async () => {
  const { read, rerun } = await checkedCommit({
    lint: 'failure',
    slow: 'timed_out',
    test: 'success',
    unit: 'cancelled',
  });
  expect(await rerun('lint', 'slow', 'unit')).toEqual(['lint', 'slow', 'unit']);
  await expect.poll(read).toEqual(['lint 2 pending', 'slow 2 pending', 'test 2 success', 'unit 2 pending']);
});

test('a single job starts again without the others', async () => {
  const { read, rerun } = await checkedCommit({ lint: 'failure', test: 'failure' });
  expect(await rerun('test')).toEqual(['test']);
  await expect.poll(read).toEqual(['lint 2 failure', 'test 2 pending']);
});

test('green jobs start again', async () => {
  const { read, rerun } = await checkedCommit({ lint: 'success', test: 'success' });
  expect(await rerun('lint', 'test')).toEqual(['lint', 'test']);
  await expect.poll(read).toEqual(['lint 2 pending', 'test 2 pending']);
});

test('a job whose workflow run still runs is tried again later', async () => {
  const { rerun } = await checkedCommit({ lint: 'pending', test: 'failure' });
  const failure = await rerun('test').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(HostUnavailable);
  expect((failure as HostUnavailable).retryAt).toBeGreaterThan(0);
});

const files = { '.github/workflows/ci.yml': workflowOf(['lint', 'test'], 'pull_request') };

test('in serial mode, a head whose jobs were canceled and failed runs again and lands', async () => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files });
  let second: Conclusion = 'pending';
  w.emulator.controls.checks(({ name, attempt }) => (attempt > 1 ? second : name === 'test' ? 'cancelled' : 'failure'));
  const number = await w.open('topic', { topic: '1\n' });
  await w.label(number);
  await w.until(async () => (await w.rows('select 1 from check_result where attempt = 2')).length === 2);
  second = 'success';
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('in serial mode, a pull request whose checks GitHub does not run again is blocked', async () => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files });
  w.emulator.controls.checks(() => 'cancelled');
  const number = await w.open('topic', { topic: '1\n' });
  w.emulator.controls.fail({
    operation: 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs',
    status: 403,
  });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
  const [row] = await w.rows<{ text: string }>('select status_text as text from pull_request');
  expect(row?.text).toMatch(/^The merge was refused: GitHub refuses: /);
});

/** What is recorded of the newest attempt of the check `test` of the only pull request. */
async function readNewestTest(w: QueueWorld) {
  const [row] = await w.rows<{ head_sha: string }>('select head_sha from pull_request');
  const wanted = { repositoryId: w.repository.id, commits: [row?.head_sha ?? ''], trees: [] };
  const builds = await w.ctx.db.transaction(w.ctx.accountId, async (tx) => await loadBuilds(w.ctx, tx, wanted));
  return builds[0]?.checks.findLast(({ name }) => name === 'test');
}

const isSecondRecorded = (w: QueueWorld) => async (): Promise<boolean> =>
  (await w.rows("select 1 from check_result where name = 'test' and attempt = 2")).length > 0;

test('a check that two workflow runs report runs for the first time in both', async () => {
  const twice = { '.github/workflows/ci.yml': workflowOf(['test'], '[push, pull_request]') };
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files: twice });
  w.emulator.controls.checks(() => 'pending');
  await w.open('one', { one: '1\n' });
  await w.until(isSecondRecorded(w));
  const newest = await readNewestTest(w);
  expect(newest).toMatchObject({ attempt: 2, conclusion: 'pending' });
  // No limit counts from here: neither run has ended.
  expect(newest).not.toHaveProperty('heardAt');
});

test('a check that ended and runs again is known to run since its new start', async () => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files });
  w.emulator.controls.checks(({ attempt }) => (attempt === 1 ? 'success' : 'pending'));
  await w.open('one', { one: '1\n' });
  const ended = "select 1 from check_result where name = 'test' and conclusion = 'success'";
  await w.until(async () => (await w.rows(ended)).length > 0);
  const [row] = await w.rows<{ head_sha: string }>('select head_sha from pull_request');
  await w.ctx.hosts('github').rerunChecks(w.repository, row?.head_sha ?? '', ['test']);
  await w.until(isSecondRecorded(w));
  expect(await readNewestTest(w)).toMatchObject({ attempt: 2, conclusion: 'pending', heardAt: expect.any(Number) });
});

test('the checks of commits are read one by one if GitHub ends the request for all of them', async () => {
  const { host, repository, push } = await g.world();
  g.emulator.controls.checks(() => 'success');
  const workflow = workflowOf(['test']);
  const one = await push({ branch: 'one', files: { '.github/workflows/ci.yml': workflow } });
  const two = await push({ branch: 'two', files: { '.github/workflows/ci.yml': workflow, two: '2\n' } });
  const wanted = [one, two].map((commit) => ({ commit, expected: ['test'], movedAt: null }));
  const read = async () =>
    (await host.readChecksTogether(repository, wanted)).map(({ commit, checks }) => [
      commit,
      checks.map(({ name, conclusion }) => `${name} ${conclusion}`),
    ]);
  const expected = [one, two].map((commit) => [commit, ['test success']]);
  await expect.poll(read).toEqual(expected);
  g.emulator.controls.fail({ operation: 'graphql', status: 502, times: 1 });
  expect(await read()).toEqual(expected);
});
