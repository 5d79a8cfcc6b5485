// A wake of a queue whose turn runs in the same process is answered by that turn, without a signal to the workflow.
import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { expect, it } from 'vitest';
import type { Wake } from '../../src/context.ts';
import type { Database } from '../../src/platform/database.ts';
import { wakeUnlessRunning, withRunningTurn } from '../../src/platform/turns/index.ts';
import { createQueueActivities } from '../../workflows/queue/activities.ts';
import { parallel, world } from '../support/world.ts';

function installation() {
  const db = {} as Database;
  const sent: Wake[] = [];
  let now = performance.now();
  const wake = wakeUnlessRunning(
    db,
    async (whose) => void sent.push(whose),
    () => now,
  );
  return { ctx: { db, accountId: '1', wake }, sent, pass: (ms: number) => void (now += ms) };
}

const queue = (queueId: string): Wake => ({ accountId: '1', queueId });

it('a wake is sent if no turn of the queue runs', async () => {
  const { ctx, sent } = installation();
  await ctx.wake(queue('7'));
  await withRunningTurn(ctx, { queueId: '8' }, async () => await ctx.wake(queue('7')));
  await withRunningTurn(ctx, { queueId: '7' }, async () => await ctx.wake({ accountId: '1', runbookId: '7' }));
  expect(sent).toEqual([queue('7'), queue('7'), { accountId: '1', runbookId: '7' }]);
});

it('a wake during a turn is handled by the turn if the turn reads after it', async () => {
  const { ctx, sent } = installation();
  await withRunningTurn(ctx, { queueId: '7' }, async (turn) => {
    await ctx.wake(queue('7'));
    expect(turn.isWoken).toBe(true);
    turn.isWoken = false;
  });
  expect(sent).toEqual([]);
});

it.each([
  ['ends without reading again', null],
  ['fails', new Error('away')],
])('a wake during a turn is sent when the turn %s', async (_, error) => {
  const { ctx, sent } = installation();
  const turn = withRunningTurn(ctx, { queueId: '7' }, async () => {
    await ctx.wake(queue('7'));
    expect(sent).toEqual([]);
    if (error !== null) throw error;
  });
  const thrown = await turn.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(thrown).toBe(error);
  expect(sent).toEqual([queue('7')]);
});

it('two turns of a queue are both woken', async () => {
  const { ctx, sent } = installation();
  await withRunningTurn(ctx, { queueId: '7' }, async (first) => {
    await withRunningTurn(ctx, { queueId: '7' }, async (second) => {
      await ctx.wake(queue('7'));
      expect([first.isWoken, second.isWoken]).toEqual([true, true]);
      second.isWoken = false;
    });
    first.isWoken = false;
  });
  expect(sent).toEqual([]);
});

it('a plan before a wake takes only wakes of changes that are often irrelevant', async () => {
  const { ctx, sent } = installation();
  await withRunningTurn(ctx, { queueId: '7', isPlan: true }, async (plan) => {
    await ctx.wake({ accountId: '1', queueId: '7', isOftenIrrelevant: true });
    expect([plan.isWoken, sent.length]).toEqual([true, 0]);
    plan.isWoken = false;
    await ctx.wake(queue('7'));
    expect([plan.isWoken, sent.length]).toEqual([false, 1]);
  });
  expect(sent).toEqual([queue('7')]);
});

it('a turn that has run for long takes no wake, because Temporal may have given the queue to another worker', async () => {
  const { ctx, sent, pass } = installation();
  await withRunningTurn(ctx, { queueId: '7' }, async (turn) => {
    pass(3_000);
    await ctx.wake(queue('7'));
    expect(turn.isWoken).toBe(false);
  });
  expect(sent).toEqual([queue('7')]);
});

it('a pull request that is queued during a turn is planned by the same activity, and its queue gets no signal', async () => {
  const sent: Wake[] = [];
  const wake = async (whose: Wake): Promise<void> => void sent.push(whose);
  await using w = await world({ configuration: parallel({ builds: 2 }), runsCi: false, wake });
  const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
  await w.service.drain();
  await w.queue(a);
  sent.length = 0;
  const whileBatchIsWoken = async (whose: Wake): Promise<void> => {
    await wake(whose);
    if (sent.length === 1) await w.queue(b);
  };
  // The clock stands still, so that the test does not depend on the speed of the machine. It is far ahead, so that the
  // turn takes wakes for as long as it runs.
  const activities = createQueueActivities({ ...w.service.ports, wake: whileBatchIsWoken }, () => 1e12);
  const [queue] = await w.rows<{ id: string }>("select id from queue where base_branch = 'main'");
  const activity = Object.assign(Object.create(Context.prototype) as Context, { info: { isLocal: true } as Info });
  await asyncLocalStorage.run(
    activity,
    async () => await activities.advanceQueue({ accountId: w.ctx.accountId, queueId: queue?.id ?? '' }),
  );
  expect((await w.batches()).map(({ members }) => members)).toEqual([[a]]);
  expect((await w.status(b)).status).toBe('queued');
  expect(await w.rows('select 1 from queue where version <> planned_version')).toEqual([]);
  expect(sent.filter((whose) => 'queueId' in whose)).toEqual([]);
});

it('a pause that follows a change which the queue has not planned yet sends no second wake', async () => {
  const sent: Wake[] = [];
  await using w = await world({ runsCi: false, wake: async (whose) => void sent.push(whose) });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  await w.service.drain();
  await w.rows('update queue set planned_version = version');
  sent.length = 0;
  await w.queue(number);
  await w.pause(true);
  expect(sent).toHaveLength(1);
});
