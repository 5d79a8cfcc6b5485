// A process that runs turns of a queue plans it before it wakes the queue's workflow, after changes that often leave
// nothing to decide. If nothing is decided, the workflow is not woken.
import { describe, expect, it } from 'vitest';
import type { Wake } from '../../src/context.ts';
import { advanceQueue, planIfIrrelevant } from '../../src/modules/queue/index.ts';
import { leavesMore, mayLeaveNothing, type LeftToWorkflow } from '../../src/modules/queue/planning/left-to-workflow.ts';
import type { OpenRows } from '../../src/modules/queue/planning/open-work.ts';
import { parallel, world, type World } from '../support/world.ts';

type Batch = OpenRows['batches'][number];

const batch = (id: string, of: Partial<Batch> = {}): Batch => ({
  id,
  state: 'building',
  cause: 'new',
  started: false,
  given_up: false,
  parent_commit: 'a'.repeat(40),
  assumed: [],
  rests_on: [],
  created_at: '2026-01-01T00:00:00Z',
  numbers: [1],
  ...of,
});

const last: LeftToWorkflow = {
  server: '2026-01-01 00:00:00+00',
  batches: [batch('1'), batch('2')],
  nextLookAt: 1_000,
  state: 'running',
  details: '',
};
const same = { effects: 0, batches: last.batches, nextLookAt: last.nextLookAt, state: last.state };

describe('a plan leaves more to the workflow than the last turn', () => {
  it.each<[string, Partial<typeof same>, boolean]>([
    ['not if all is the same', {}, false],
    ['not if a batch is cleaned up', { batches: [batch('2')] }, false],
    ['if an effect is due', { effects: 1 }, true],
    ['if a batch is new', { batches: [batch('9')] }, true],
    ['if a batch has gone on', { batches: [batch('2', { state: 'landing' })] }, true],
    ['if the next turn is earlier', { nextLookAt: 999 }, true],
    ['not if the next turn is later', { nextLookAt: 1_001 }, false],
    ['not if there is no next turn', { nextLookAt: null }, false],
    ['if the queue was paused', { state: 'paused' }, true],
  ])('%s', (_, end, expected) => {
    expect(leavesMore({ ...same, ...end }, last)).toBe(expected);
  });

  it('if the last turn has named no next turn', () => {
    expect(leavesMore(same, { ...last, nextLookAt: null })).toBe(true);
  });
});

describe('a plan before the wake is worth while', () => {
  const before = { effects: 0, batches: [] as Batch[], hasArrivals: false };
  it.each<[string, Partial<typeof before>, string, boolean]>([
    ['if nothing is built and nothing has arrived', {}, 'idle', true],
    ['not if a pull request has arrived and nothing is built', { hasArrivals: true }, 'idle', false],
    ['if one has arrived in a paused queue', { hasArrivals: true }, 'paused', true],
    ['if one has arrived while others are built', { batches: [batch('2')], hasArrivals: true }, 'running', true],
    ['not if a batch is new', { batches: [batch('9')] }, 'running', false],
    ['not if an effect is due', { effects: 1 }, 'running', false],
    ['not if the queue is halted', {}, 'halted: the base branch was moved', false],
  ])('%s', (_, of, state, expected) => {
    expect(mayLeaveNothing({ ...before, ...of }, { ...last, state })).toBe(expected);
  });
});

const withoutNotifications = 'enable_comments: false\npublish_status_check: never\n';

async function queueOf(w: World): Promise<string> {
  const [queue] = await w.rows<{ id: string }>("select id from queue where base_branch = 'main'");
  return queue?.id ?? '';
}

const unplanned = "select version - planned_version as n from queue where base_branch = 'main'";

/** A world whose queue has taken turns until nothing was left to decide. */
async function quietWorld(builds: number): Promise<{ w: World; a: number; b: number; id: string; sent: Wake[] }> {
  const sent: Wake[] = [];
  const w = await world({
    configuration: `${parallel({ builds })}${withoutNotifications}`,
    runsCi: false,
    plansBeforeWake: true,
    wake: async (whose) => void sent.push(whose),
  });
  const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
  await w.service.drain();
  const id = await queueOf(w);
  await advanceQueue(w.ctx, id);
  return { w, a, b, id, sent };
}

describe('a queue', () => {
  it('is planned without a wake if a change decides nothing', async () => {
    const { w, a, b, id, sent } = await quietWorld(1);
    await using _ = w;
    await w.pause(true);
    await advanceQueue(w.ctx, id);
    sent.length = 0;
    await w.queue(a, b);
    await expect.poll(async () => await w.rows(unplanned), { timeout: 60_000 }).toEqual([{ n: '0' }]);
    expect(sent).toEqual([]);
    // The relay wakes the workflow later, so that Temporal's UI shows how many wait.
    expect(await w.rows('select next_look_at is not null as shown from queue where id = $1', [id])).toEqual([
      { shown: true },
    ]);
    expect(await w.batches()).toEqual([]);
  });

  it('gets a wake if the change makes a batch, and the plan writes nothing', async () => {
    const { w, a, id, sent } = await quietWorld(1);
    await using _ = w;
    sent.length = 0;
    await w.queue(a);
    await expect.poll(() => sent, { timeout: 60_000 }).toEqual([{ accountId: w.ctx.accountId, queueId: id }]);
    expect(await planIfIrrelevant(w.ctx, id)).toBe(false);
    expect(await w.batches()).toEqual([]);
    expect(await w.rows(unplanned)).not.toEqual([{ n: '0' }]);
    await advanceQueue(w.ctx, id);
    expect((await w.batches()).map(({ members }) => members)).toEqual([[a]]);
  });

  it('gets a wake if a place for a build is free, and none if there is no place', async () => {
    const { w, a, b, id, sent } = await quietWorld(1);
    await using _ = w;
    await w.queue(a);
    await expect.poll(() => sent.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await advanceQueue(w.ctx, id);
    await advanceQueue(w.ctx, id);
    sent.length = 0;
    await w.queue(b);
    await expect.poll(async () => await w.rows(unplanned), { timeout: 60_000 }).toEqual([{ n: '0' }]);
    expect(sent).toEqual([]);
    await w.dequeue(a);
    await expect.poll(() => sent.length, { timeout: 60_000 }).toBe(1);
    await advanceQueue(w.ctx, id);
    expect((await w.batches()).find(({ members }) => members.includes(b))?.state).toBe('making');
  });

  it('gets a wake if a notification is due, and the plan writes no notification', async () => {
    const { w, id } = await quietWorld(1);
    await using _ = w;
    await w.configure(parallel({ builds: 1 }));
    await w.pause(true);
    await advanceQueue(w.ctx, id);
    await w.rows("update intent set state = 'done'");
    expect(await planIfIrrelevant(w.ctx, id)).toBe(true);
    await w.rows('update pull_request set notify_at = now() where number = 1');
    await w.rows('update queue set version = version + 1');
    const open = "select kind from intent where state = 'planned'";
    expect(await planIfIrrelevant(w.ctx, id)).toBe(false);
    expect(await w.rows(open)).toEqual([]);
    await advanceQueue(w.ctx, id);
    expect(await w.rows(open)).not.toEqual([]);
  });

  it('gets a wake if an effect that waited is due', async () => {
    const { w, id } = await quietWorld(1);
    await using _ = w;
    await w.rows(
      `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at, next_try_at)
       select account_id, queue_id, id, 'reply', 'late', '{}', now(), now() + interval '1 hour' from pull_request where number = 1`,
    );
    await advanceQueue(w.ctx, id);
    expect(await planIfIrrelevant(w.ctx, id)).toBe(true);
    await w.rows("update intent set next_try_at = now() - interval '1 second' where key = 'late'");
    expect(await planIfIrrelevant(w.ctx, id)).toBe(false);
  });

  it('is woken without a plan if this process has taken no turn of it', async () => {
    const sent: Wake[] = [];
    await using w = await world({ plansBeforeWake: true, runsCi: false, wake: async (whose) => void sent.push(whose) });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.service.drain();
    await w.rows('update queue set planned_version = version');
    sent.length = 0;
    await w.queue(number);
    const id = await queueOf(w);
    expect(sent).toEqual([{ accountId: w.ctx.accountId, queueId: id }]);
    expect(await planIfIrrelevant(w.ctx, id)).toBe(false);
  });
});
