// A database with a long history and without statistics of PostgreSQL, as after many crashes. No statement of a queue
// reads the history more than once. With the statistics that the service takes at its start, no statement reads the
// history.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releaseIdleBotPullRequests } from '../../src/modules/queue/planning/idle-bot-pull-requests.ts';
import { lockQueue } from '../../src/modules/queue/store/queue.locks.ts';
import { startWork } from '../../src/modules/queue/store/status.writer.ts';
import { refreshStatistics } from '../../src/platform/statistics.ts';
import { explainAll, watchPlans, type Executed, type Plans } from '../support/plans.ts';
import { parallel, world, type World } from '../support/world.ts';
import { deleteHistoryRows, writeHistory, writeIdleBotPullRequests } from './history.ts';

const many = 10_000;
/** The most blocks that one read of a history may take. In the worst case each row is on a page of its own. */
const maxBlocks = 1.2 * many;
/** The most blocks that a statement may take if it finds its rows by their keys. */
const fewBlocks = 400;

let w: World;
let plans: Plans;
beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 2, batch: 2 }), newDatabase: true });
  await writeHistory(w.databaseUrl, many);
  await explainAll(w.databaseUrl);
  plans = watchPlans();
});
afterAll(async () => {
  plans[Symbol.dispose]();
  await deleteHistoryRows(w.databaseUrl);
  await w[Symbol.asyncDispose]();
});

function dearer(most: number, among: string): Executed[] {
  const executed = plans.take();
  expect(executed.map(({ text }) => text)).toContainEqual(expect.stringContaining(among));
  return executed.filter(({ blocks }) => blocks > most);
}

/** One pull request lands and one is blocked, after a red batch of both. */
async function liveThrough(name: string): Promise<void> {
  const numbers = [
    await w.open(`${name}-good`, { [`${name}.txt`]: 'new\n' }),
    await w.open(`${name}-bad`, { bad: 'new\n' }),
  ];
  await w.queue(...numbers);
  await w.settled(...numbers);
  expect(
    (await Promise.all(numbers.map(async (number) => await w.status(number)))).map(({ status }) => status),
  ).toEqual(['merged', 'blocked']);
}

/** Keeps many idle bot pull requests. Their pull requests are in a long line, and none of them is built. */
async function keepIdleBotPullRequests(): Promise<void> {
  const { ctx } = w;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await lockQueue(tx, (await w.rows<{ id: string }>('select id from queue'))[0]?.id ?? '');
    await releaseIdleBotPullRequests(startWork(ctx, tx, queue));
  });
  expect(await w.rows("select 1 from intent where kind = 'close_bot_pull_request' and state = 'planned'")).toEqual([]);
}

describe('without statistics', () => {
  it('no statement reads the history of a queue twice', async () => {
    await liveThrough('first');
    expect(dearer(maxBlocks, 'insert into landing')).toEqual([]);
  });

  it('the idle bot pull requests of a long line are read by their keys', async () => {
    await writeIdleBotPullRequests(w.databaseUrl, 300);
    plans.take();
    await keepIdleBotPullRequests();
    expect(dearer(maxBlocks, 'from bot_pull_request')).toEqual([]);
  });
});

describe('with statistics', () => {
  it('no statement reads the history of a queue', async () => {
    await deleteHistoryRows(w.databaseUrl, 'idle bot pull requests');
    expect(await refreshStatistics(w.databaseUrl)).toEqual(
      expect.arrayContaining(['batch', 'batch_member', 'build', 'check_result', 'intent', 'landing', 'pull_request']),
    );
    plans.take();
    await liveThrough('second');
    expect(dearer(fewBlocks, 'insert into landing')).toEqual([]);
  });

  it('a table is analyzed again when it has doubled', async () => {
    expect(await refreshStatistics(w.databaseUrl)).toEqual([]);
    await w.rows(
      `insert into merge_result (account_id, repository_id, parent, heads, tree, conflict_at)
       select account_id, repository_id, parent || n, heads, tree, conflict_at from merge_result, generate_series(1, 2) n`,
    );
    expect(await refreshStatistics(w.databaseUrl)).toEqual(['merge_result']);
  });
});
