// A pull request whose base branch changes after its checks. A workflow of the event `pull_request` tests the merge of
// the head into the base branch of that time.
import { expect, test } from 'vitest';
import { parallel, serial } from '../../support/world.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

const files = {
  '.github/workflows/ci.yml': `name: ci
on: [pull_request]
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ uses: actions/checkout@v4 }, { run: 'test -e fix' }] }
`,
};

/** A pull request whose checks are green only together with the branch `dev`, and whose base is `main` afterwards. */
async function retargeted(w: QueueWorld): Promise<number> {
  await w.push('dev', { fix: '1\n' });
  await w.push('topic', { topic: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'dev' });
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
  await w.person.pulls.update({ ...w.place, pull_number: data.number, base: 'main' });
  await w.until(async () => (await w.rows("select 1 from pull_request where base_branch = 'main'")).length > 0);
  return data.number;
}

test.each([
  ['serial', serial()],
  ['parallel', parallel()],
])('in %s mode, checks of another base branch justify no landing', async (_mode, mode) => {
  await using w = await queueWorld({ configuration: `${mode}${requiresTest}`, files });
  const number = await retargeted(w);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
});

/** A pull request like that of `retargeted`, of which the service hears nothing before its base is `main`. */
async function retargetedBefore(w: QueueWorld): Promise<number> {
  w.emulator.controls.webhooks({ drop: 1 });
  await w.push('dev', { fix: '1\n' });
  await w.push('topic', { topic: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'dev' });
  await w.until(
    async () => w.emulator.core.state.checkRuns.find(({ conclusion }) => conclusion === 'success') !== undefined,
  );
  await w.person.pulls.update({ ...w.place, pull_number: data.number, base: 'main' });
  await w.emulator.core.settled();
  expect(await w.rows('select 1 from pull_request')).toEqual([]);
  w.emulator.controls.webhooks({ drop: 0 });
  return data.number;
}

test.each([
  ['serial', serial()],
  ['parallel', parallel()],
  ['parallel, with skip_draft_when_up_to_date,', parallel({ more: 'skip_draft_when_up_to_date: true' })],
])(
  'in %s mode, checks of another base branch justify no landing of a pull request that is first read afterwards',
  async (_mode, mode) => {
    await using w = await queueWorld({ configuration: `${mode}${requiresTest}`, files });
    const number = await retargetedBefore(w);
    await w.label(number);
    expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
  },
);

test('in serial mode, checks that begin well after the change of the base branch justify a landing', async () => {
  let later = 0;
  const workflow = `name: ci
on: [pull_request]
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
`;
  await using w = await queueWorld({
    configuration: `${serial()}${requiresTest}`,
    files: { '.github/workflows/ci.yml': workflow },
    hostClock: () => Date.now() + later,
  });
  const number = await retargetedBefore(w);
  later = 2 * 60_000;
  await w.person.pulls.update({ ...w.place, pull_number: number, state: 'closed' });
  await w.person.pulls.update({ ...w.place, pull_number: number, state: 'open' });
  await w.until(
    async () =>
      w.emulator.core.state.workflowRuns.filter(
        ({ event, status }) => event === 'pull_request' && status === 'completed',
      ).length === 2,
  );
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('in serial mode, a pull request with another base branch lands after a push', async () => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files });
  const number = await retargeted(w);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
  const [row] = await w.rows<{ status_text: string }>('select status_text from pull_request');
  expect(row?.status_text).toMatch(
    /^The merge was refused: these checks may have tested the head together with commits of another base branch: test\. Push a commit/,
  );
  const pushed = await w.push('topic', { fix: '1\n' });
  await w.until(async () => (await w.rows('select 1 from pull_request where head_sha = $1', [pushed])).length > 0);
  await w.person.issues.removeLabel({ ...w.place, issue_number: number, name: 'mergequeue' }).catch(() => null);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('in serial mode, a check of another base branch that begins after the batch justifies no landing', async () => {
  const workflow = `name: ci
on: [pull_request]
jobs:
  build: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
  test: { needs: build, runs-on: ubuntu-latest, steps: [{ run: 'test -e fix' }] }
`;
  await using w = await queueWorld({
    configuration: `${serial()}preconditions:\n  required_checks: [test]\n`,
    files: { '.github/workflows/ci.yml': workflow },
  });
  let isBuilt = false;
  w.emulator.controls.checks(({ name }) => (name === 'build' && !isBuilt ? 'pending' : 'success'));
  await w.push('dev', { fix: '1\n' });
  await w.push('topic', { topic: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'dev' });
  await w.until(async () => (await w.rows("select 1 from check_result where name = 'build'")).length > 0);
  await w.person.pulls.update({ ...w.place, pull_number: data.number, base: 'main' });
  await w.until(async () => (await w.rows("select 1 from pull_request where base_branch = 'main'")).length > 0);
  await w.label(data.number);
  await w.until(async () => (await w.rows("select 1 from batch where state = 'building'")).length > 0);
  expect(await w.rows("select 1 from check_result where name = 'test'")).toEqual([]);
  isBuilt = true;
  expect(await w.settled(data.number)).toEqual({ [data.number]: 'blocked' });
});

test('in serial mode, a check of another base branch that begins after the batch ends it as one that no longer fits', async () => {
  const ci = `name: ci
on: [pull_request]
jobs:
  build: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
  test: { needs: build, runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
`;
  await using w = await queueWorld({
    configuration: `${serial()}preconditions:\n  required_checks: [test]\n`,
    files: { '.github/workflows/ci.yml': ci },
  });
  let isBuilt = false;
  w.emulator.controls.checks(({ name }) => (name === 'build' && !isBuilt ? 'pending' : 'success'));
  w.emulator.controls.webhooks({ drop: 1 });
  await w.push('dev', { dev: '1\n' });
  await w.push('topic', { topic: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'dev' });
  await w.person.pulls.update({ ...w.place, pull_number: data.number, base: 'main' });
  await w.emulator.core.settled();
  expect(await w.rows('select 1 from pull_request')).toEqual([]);
  w.emulator.controls.webhooks({ drop: 0 });
  await w.label(data.number);
  await w.until(async () => (await w.rows("select 1 from batch where state = 'building'")).length > 0);
  isBuilt = true;
  expect(await w.settled(data.number)).toEqual({ [data.number]: 'blocked' });
  const [first] = await w.rows('select reset_code from batch order by id');
  expect(first).toEqual({ reset_code: 309 });
});

test('in serial mode, checks with a later commit of the earlier base branch justify no landing', async () => {
  const ci = `name: ci
on: { pull_request: { types: [reopened] } }
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ uses: actions/checkout@v4 }, { run: 'test -e fix' }] }
`;
  await using w = await queueWorld({
    configuration: `${serial()}${requiresTest}`,
    files: { '.github/workflows/ci.yml': ci },
  });
  const number = await openedOnTip(w);
  await w.push('dev', { fix: '1\n' });
  await w.person.pulls.update({ ...w.place, pull_number: number, state: 'closed' });
  await w.person.pulls.update({ ...w.place, pull_number: number, state: 'open' });
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
  await retarget(w, number);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
});

const passing = {
  '.github/workflows/ci.yml': `name: ci
on: [pull_request]
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
`,
};

test('in serial mode, checks justify a landing if the head contains the earlier base branch', async () => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files: passing });
  const number = await openedOnTip(w);
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
  await retarget(w, number);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('in serial mode, a base branch that changed before the upgrade counts as the earlier version has read it', async () => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}`, files: passing });
  const number = await openedOnTip(w);
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
  await retarget(w, number);
  // The rows are those of an earlier version that was upgraded two minutes later.
  await w.rows(`update pull_request set base_changed_at = null, other_base_until = null,
    base_followed_since = base_followed_since + interval '2 minutes'`);
  await w.rows('update check_result set workflow_run_at = null');
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(await w.rows('select 1 from check_result where workflow_run_at is null')).toEqual([]);
  expect(await w.rows('select 1 from pull_request where base_changed_at is null')).toEqual([]);
});

/** Opens a pull request into the branch `dev`, which is the tip of `main`. */
async function openedOnTip(w: QueueWorld): Promise<number> {
  const main = await w.person.git.getRef({ ...w.place, ref: 'heads/main' });
  await w.person.git.createRef({ ...w.place, ref: 'refs/heads/dev', sha: main.data.object.sha });
  await w.push('topic', { topic: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'dev' });
  await w.until(async () => (await w.rows("select 1 from build where base_commit <> ''")).length > 0);
  return data.number;
}

async function retarget(w: QueueWorld, number: number): Promise<void> {
  await w.person.pulls.update({ ...w.place, pull_number: number, base: 'main' });
  await w.until(async () => (await w.rows("select 1 from pull_request where base_branch = 'main'")).length > 0);
}
