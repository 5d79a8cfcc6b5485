import { expect, it } from 'vitest';
import { loadQueueAsOf } from '../../src/modules/queue/api/as-of.loader.ts';
import { advanceQueue, openPullRequest } from '../../src/modules/queue/index.ts';
import { pauseBranches, readHoldRows } from '../../src/modules/repositories/index.ts';
import type { Transaction } from '../../src/platform/database.ts';
import { parallel, world, type World } from '../support/world.ts';
import { line, meanwhile, statuses, turnsAt } from './stories.ts';

async function rule(w: World, pattern: string, paused: boolean): Promise<void> {
  await pauseBranches(w.ctx, { repository: w.repository, pattern, paused });
}

async function openInto(w: World, baseBranch: string, headBranch: string): Promise<number> {
  await w.commit(headBranch, { [`${headBranch}.txt`]: `${headBranch}\n` }, { from: `origin/${baseBranch}` });
  await openPullRequest(w.ctx, { repository: w.repository, title: `Add ${headBranch}`, headBranch, baseBranch });
  const [row] = await w.rows<{ number: number }>('select number from pull_request where head_branch = $1', [
    headBranch,
  ]);
  return row?.number ?? 0;
}

const summaries = async (w: World): Promise<string[]> =>
  (
    await w.rows<{ base_branch: string; live: number }>(
      `select q.base_branch, (select count(*)::int from batch b where b.queue_id = q.id) as live from queue q order by q.base_branch`,
    )
  ).map(({ base_branch, live }) => `${base_branch} ${live}`);

it('a paused base branch builds and merges nothing, other branches go on, and a more specific rule ends the pause', async () => {
  await using w = await world({ configuration: `base_branches: [main, release/1]\n${parallel({ builds: 2 })}` });
  await w.commit('release/1', { 'release.txt': '1\n' });
  await rule(w, 'release/*', true);
  const [onMain, onRelease] = [await w.open('a', { 'a.txt': 'a\n' }), await openInto(w, 'release/1', 'b')];
  await w.queue(onMain, onRelease);
  await w.settled(onMain);
  expect(await statuses(w, onMain, onRelease)).toEqual(['merged', 'queued']);
  // The pull request is up to date and green, so only the pause held it.
  expect(await summaries(w)).toEqual(['main 1', 'release/1 0']);

  await rule(w, 'release/1', false);
  await w.settled(onRelease);
  expect(await statuses(w, onRelease)).toEqual(['merged']);
  expect(await w.git('show', 'release/1:b.txt')).toBe('b');
  expect((await w.events()).map(([action]) => action).filter((action) => action.startsWith('branches_'))).toEqual([
    'branches_paused',
    'branches_unpaused',
  ]);
});

it('no landing starts after the pause was answered, and a landing that had started lands', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const [first, second] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
  const paused = async (): Promise<void> => await rule(w, 'ma*', true);
  const planned = "select 1 from intent where kind = 'land' and state in ('planned', 'started')";
  await w.queue(first);
  await meanwhile('landing:before_gate', paused, () =>
    w.until(async () => (await w.rows("select 1 from intent where kind = 'land' and state = 'void'")).length > 0),
  );
  expect(await line(w)).toEqual([]);
  expect(await w.rows(planned)).toEqual([]);

  await rule(w, 'ma*', false);
  await w.queue(second);
  await meanwhile('landing:after_gate', paused, () => w.settled(first));
  await w.until(async () => (await w.rows(planned)).length === 0);
  expect(await statuses(w, first, second)).toEqual(['merged', expect.stringMatching(/^(queued|tagged)$/)]);
  await rule(w, 'ma*', false);
  await w.settled(second);
  expect(await line(w)).toHaveLength(2);
});

it('a build whose evidence ends during a pause is opened after the pause', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
  const bots = async (): Promise<number> => (await w.rows('select 1 from bot_pull_request')).length;
  await w.queue(number);
  const isStopped = async (): Promise<boolean> =>
    (await w.rows("select 1 from batch where state = 'building' and build_started_at is not null")).length > 0;
  await meanwhile(
    'landing:before_gate',
    async () => await rule(w, 'main', true),
    () => w.until(isStopped),
  );
  const later = new Date(Date.now() + 25 * 3_600_000);
  await turnsAt(w, later);
  expect([await bots(), await statuses(w, number)]).toEqual([0, ['queued']]);
  const [queue] = await w.rows<{ id: string }>('select id from queue');
  const needs = async (): Promise<string[]> =>
    (await advanceQueue({ ...w.ctx, clock: () => later }, queue?.id ?? '')).batches.map(({ need }) => need);
  expect(await needs()).toEqual(['wait']);
  await rule(w, 'main', false);
  // The workflow of the batch waits for checks. It is woken because the batch needs another step.
  expect(await needs()).toEqual(['open']);
  await turnsAt(w, later);
  // CI runs by the real clock. If it has ended already, its result is a day old at this clock, and another batch follows.
  expect((await w.rows("select batch_id from event where action = 'build_started' order by id"))[0]).toEqual(
    (await w.rows('select id as batch_id from batch order by id'))[0],
  );
});

it('a rule that is set again without a change writes nothing, unless a newer rule could decide instead of it', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const events = async (): Promise<number> =>
    (await w.events()).filter(([action]) => action.startsWith('branches_')).length;
  const message = { pattern: 'ma*', paused: true, pausedMessage: 'Wait.' };
  const pause = async (rule: { pattern: string; paused: boolean; pausedMessage?: string }): Promise<void> =>
    void (await pauseBranches(w.ctx, { repository: w.repository, ...rule }));
  for (let i = 0; i < 3; i += 1) await pause(message);
  expect(await events()).toBe(1);

  await pause({ ...message, pausedMessage: 'Wait a day.' });
  expect(await events()).toBe(2);
  await pause({ pattern: '*in', paused: false });
  await pause({ ...message, pausedMessage: 'Wait a day.' });
  expect(await events()).toBe(4);
  const newest = 'select pattern from branch_pause order by id desc limit 1';
  expect(await w.rows(newest)).toEqual([{ pattern: 'ma*' }]);
  const replaced = await w.rows(
    'select pattern, paused, replaced_at >= created_at as is_over from branch_pause_past order by id',
  );
  expect(replaced).toEqual(Array.from({ length: 2 }, () => ({ pattern: 'ma*', paused: true, is_over: true })));
});

it('rules that are set in turns without a change write nothing, because none of them could decide instead of another', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  for (let i = 0; i < 3; i += 1)
    for (const pattern of ['main', 'release/*', 'hotfix/1', 'x*']) await rule(w, pattern, true);
  expect((await w.events()).filter(([action]) => action.startsWith('branches_'))).toHaveLength(4);
  expect(await w.rows('select pattern from branch_pause order by id')).toEqual(
    ['main', 'release/*', 'hotfix/1', 'x*'].map((pattern) => ({ pattern })),
  );
});

it('a turn and an explanation read the message of the pause in force, and no other message', async () => {
  await using w = await world({ configuration: parallel({ builds: 2 }) });
  const text = (n: number): string => `${n} ${'x'.repeat(50_000)}`;
  for (let n = 0; n < 20; n += 1)
    await pauseBranches(w.ctx, {
      repository: w.repository,
      pattern: ['main', 'ma*', 'm*', 'other'][n % 4] ?? '',
      paused: true,
      pausedMessage: text(n),
    });
  const [{ id: queueId } = { id: '' }] = await w.rows<{ id: string }>('select id from queue');
  const [repository = { id: '', accountId: '' }] = await w.rows<{ id: string; accountId: string }>(
    'select id, account_id as "accountId" from repository',
  );
  await w.ctx.db.transaction(w.ctx.accountId, async (tx) => {
    expect(JSON.stringify(await readHoldRows(tx, repository)).length).toBeLessThan(1_000);
    for (const at of [null, w.ctx.clock()]) {
      let read = 0;
      const counted = new Proxy(tx, {
        get: (of, name) =>
          name !== 'query'
            ? (Reflect.get(of, name) as unknown)
            : async (...query: Parameters<Transaction['query']>) => {
                const rows = await of.query(...query);
                read += JSON.stringify(rows).length;
                return rows;
              },
      });
      const queue = await loadQueueAsOf(w.ctx, counted, { queueId, at });
      expect(queue?.pause).toEqual({ pattern: 'main', message: text(16) });
      expect(queue?.pausedBy).toMatchObject({ action: 'branches_paused' });
      expect(read).toBeLessThan(2 * text(16).length);
    }
  });
});
