// Few points of GitHub's rate limit are left. Landings go on, and the reads of hints wait.
import { expect, test } from 'vitest';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import { forLanding, syncPullRequest } from '../../../src/modules/queue/host-sync/pull-requests.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { parallel, serial } from '../../support/world.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';
import { configuration as showAsMerged, pushTo } from './show-as-merged.ts';

/** Leaves 2 % of the points of GraphQL. */
async function spendPoints(w: QueueWorld): Promise<void> {
  await w.rows(
    "update host_budget set graphql_limit = 5000, graphql_left = 100, graphql_resets_at = now() + interval '2 hours'",
  );
}

/** At the failpoint, leaves fewer points than are kept for landings. Returns a function that ends this. */
function spendPointsAt(w: QueueWorld, failpoint: string, number: number): () => void {
  const read = async (): Promise<unknown> =>
    await w.ctx
      .hosts('github')
      .getPullRequest(w.repository, number)
      .catch((error: unknown) => error);
  return onFailpoint(failpoint, async () => {
    await spendPoints(w);
    // Each process reads the points once a second.
    await expect.poll(read).toBeInstanceOf(HostUnavailable);
  });
}

test('a landing that has passed its gate moves the base branch during a pause that GitHub asks for', async () => {
  await using w = await queueWorld({ configuration: `${parallel({ builds: 1, batch: 1 })}${requiresTest}` });
  const number = await w.open('one', { one: '1\n' });
  const read = async (): Promise<unknown> =>
    await w.ctx
      .hosts('github')
      .getPullRequest(w.repository, number)
      .catch((error: unknown) => error);
  const disarm = onFailpoint('landing:after_gate', async () => {
    await w.rows("update host_budget set paused_until = now() + interval '1 hour'");
    // Each process reads the budget once a second.
    await expect.poll(read).toMatchObject({ message: 'GitHub asked this App to pause' });
  });
  const readTip = async (): Promise<string> =>
    (await w.person.git.getRef({ ...w.place, ref: 'heads/main' })).data.object.sha;
  const before = await readTip();
  let after: string | null = null;
  const stopReading = onFailpoint('landing:after_host', async () => {
    const paused = await w.rows('update host_budget set paused_until = null where paused_until > now() returning 1');
    if (paused.length === 0) return;
    after = await readTip();
    await expect.poll(read).toMatchObject({ number });
  });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  disarm();
  stopReading();
  expect(after).not.toBeNull();
  expect(after).not.toBe(before);
});

test('a merge by GitHub goes on, if fewer points are left than are kept for landings', async () => {
  const byHost = parallel({ builds: 1, batch: 1, more: 'use_fast_forwarding: false\n' });
  await using w = await queueWorld({ configuration: `${byHost}${requiresTest}` });
  const number = await w.open('one', { one: '1\n' });
  const disarm = spendPointsAt(w, 'landing:after_gate', number);
  await w.label(number);
  const isMerged = async (): Promise<boolean> =>
    (await w.person.pulls.get({ ...w.place, pull_number: number })).data.merged;
  await w.until(isMerged);
  disarm();
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('in serial mode, the head that was brought up to date is built and lands', async () => {
  await using w = await queueWorld({ configuration: `${serial()}${requiresTest}` });
  const number = await w.open('one', { one: '1\n' });
  await w.push('main', { other: '1\n' });
  const disarm = spendPointsAt(w, 'update:before_push', number);
  await w.label(number);
  const isMoved = async (): Promise<boolean> =>
    (await w.rows('select 1 from batch b join pushed_head h on h.onto = b.parent_commit')).length > 0;
  await w.until(isMoved);
  disarm();
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('a pull request that is stacked on a landed one gets the base branch', async () => {
  const rules = `${parallel({ builds: 1, batch: 1 })}${requiresTest}`;
  await using w = await queueWorld({ configuration: `${rules}auto_detect_stacks: true\n` });
  const lower = await w.open('lower', { lower: '1\n' });
  await w.push('upper', { upper: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Add upper', head: 'upper', base: 'lower' });
  const upper = data.number;
  await w.until(async () => (await w.rows('select 1 from pull_request where below_id is not null')).length > 0);
  const disarm = spendPointsAt(w, 'landing:after_host', lower);
  await w.label(lower);
  const isConcluded = async (): Promise<boolean> =>
    (await w.rows("select 1 from intent where kind = 'conclude_pull_request' and state = 'done'")).length > 0;
  await w.until(isConcluded);
  disarm();
  const { base } = (await w.person.pulls.get({ ...w.place, pull_number: upper })).data;
  expect(base.ref).toBe('main');
  expect(await w.rows('select base_branch from pull_request where number = $1', [upper])).toEqual([
    { base_branch: 'main' },
  ]);
});

test('a bot pull request that somebody closes is noticed, and its batch is built again', async () => {
  await using w = await queueWorld({ configuration: `${parallel({ builds: 1, batch: 1 })}${requiresTest}` });
  w.emulator.controls.checks(() => 'pending');
  const number = await w.open('one', { one: '1\n' });
  await w.label(number);
  const bots = async (): Promise<{ number: number }[]> =>
    await w.rows('select number from bot_pull_request where number is not null order by number');
  await w.until(async () => (await bots()).length === 1);
  const [bot] = await bots();
  await spendPoints(w);
  await expect
    .poll(
      async () =>
        await w.ctx
          .hosts('github')
          .getPullRequest(w.repository, number)
          .catch((error: unknown) => error),
    )
    .toBeInstanceOf(HostUnavailable);
  await w.person.pulls.update({ ...w.place, pull_number: bot?.number ?? 0, state: 'closed' });
  await w.until(async () => (await w.rows("select 1 from batch where state = 'superseded'")).length === 1);
});

test('a landing goes on after its heads were restored', async () => {
  await using w = await queueWorld({ configuration: showAsMerged });
  const number = await w.open('one', { one: '1\n' });
  const stopPushing = onFailpoint('landing:heads_shown', async () => {
    stopPushing();
    await pushTo(w, 'main');
  });
  const disarm = spendPointsAt(w, 'landing:after_heads_back', number);
  // This attempt has read the restored heads.
  const stopGiving = onFailpoint('landing:after_host', async () => {
    disarm();
    stopGiving();
    await w.rows('update host_budget set graphql_left = graphql_limit');
    await expect.poll(async () => await w.ctx.hosts('github').getPullRequest(w.repository, number)).toBeTruthy();
  });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('if only the comments wait for points, no explanation says that the line waits', async () => {
  await using w = await queueWorld({ configuration: `${parallel({ builds: 1, batch: 1 })}${requiresTest}` });
  const number = await w.open('one', { one: '1\n' });
  // A tenth of the points of REST is left.
  await w.rows(
    "update host_budget set rest_limit = 5000, rest_left = 500, rest_resets_at = now() + interval '2 hours'",
  );
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  await w.until(
    async () =>
      (await w.rows("select 1 from intent where kind in ('comment', 'status_check') and next_try_at is not null"))
        .length > 0,
  );
  expect(await w.rows("select host_wait_until from queue where base_branch = 'main'")).toEqual([
    { host_wait_until: null },
  ]);
});

test('a read that a batch waits for counts signatures, and reads who has set a label', async () => {
  const signed = requiresTest.replace('preconditions:\n', 'preconditions:\n  require_verified_commits: true\n');
  await using w = await queueWorld({ configuration: `${parallel({ builds: 1, batch: 1 })}${signed}` });
  const number = await w.open('one', { one: '1\n' });
  await w.until(async () => (await w.rows('select 1 from pull_request where unverified_commits = 1')).length > 0);
  // No webhook tells of the commit and of the label.
  w.emulator.controls.webhooks({ drop: 1 });
  await w.push('one', { two: '2\n' });
  await w.person.issues.addLabels({ ...w.place, issue_number: number, labels: ['mergequeue'] });
  await spendPoints(w);
  await w.rows(
    "update host_budget set rest_limit = 5000, rest_left = 100, rest_resets_at = now() + interval '2 hours'",
  );
  const read = async (options?: typeof forLanding): Promise<unknown> =>
    await syncPullRequest(w.ctx, { ...w.repository, host: 'github' }, number, options);
  // Each process reads the points once a second.
  await expect.poll(async () => await read().catch((error: unknown) => error)).toBeInstanceOf(HostUnavailable);
  await read(forLanding);
  expect(await w.rows('select unverified_commits, status from pull_request where number = $1', [number])).toEqual([
    { unverified_commits: 2, status: 'blocked' },
  ]);
});
