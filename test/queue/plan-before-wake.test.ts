// A process that runs turns of a queue plans it before it wakes the queue's workflow, after changes that often leave
// nothing to decide. If nothing is decided, the workflow is not woken.
import { describe, expect, it } from 'vitest';
import type { Wake } from '../../src/context.ts';
import { advanceQueue, planIfIrrelevant } from '../../src/modules/queue/index.ts';
import { leavesMore, mayLeaveNothing, type LeftToWorkflow } from '../../src/modules/queue/planning/left-to-workflow.ts';
import type { OpenRows } from '../../src/modules/queue/planning/open-work.ts';
import { parallel, world, type World } from '../support/world.ts';

type Intent = OpenRows['intents'][number];
type Batch = OpenRows['batches'][number];

const intent = (id: string, of: Partial<Intent> = {}): Intent => ({
  id,
  kind: 'label',
  attempt: 0,
  numbers: [1],
  nextTryAt: null,
  ...of,
});

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

const nothing: OpenRows = { intents: [], batches: [] };
const left = (of: Partial<LeftToWorkflow> = {}): LeftToWorkflow => ({
  open: { intents: [intent('1')], batches: [batch('2')] },
  nextLookAt: 1_000,
  state: 'running',
  details: '',
  ...of,
});

describe('a turn leaves more to the workflow than an earlier one', () => {
  it.each<[string, Partial<LeftToWorkflow>, boolean]>([
    ['if all is the same', {}, false],
    ['if less is open', { open: nothing }, false],
    ['if an intent is new', { open: { ...nothing, intents: [intent('9')] } }, true],
    ['if an intent has failed since', { open: { ...nothing, intents: [intent('1', { attempt: 1 })] } }, true],
    ['if a batch is new', { open: { ...nothing, batches: [batch('9')] } }, true],
    ['if a batch has gone on', { open: { ...nothing, batches: [batch('2', { state: 'landing' })] } }, true],
    ['if the next turn is earlier', { nextLookAt: 999 }, true],
    ['if the next turn is later', { nextLookAt: 1_001 }, false],
    ['if there is no next turn', { nextLookAt: null }, false],
    ['if the queue was paused', { state: 'paused' }, true],
    ['if another text is shown', { details: 'one more waits' }, false],
  ])('%s', (_, turn, expected) => {
    expect(leavesMore(left(turn), left())).toBe(expected);
  });

  it('if the earlier one has no next turn', () => {
    expect(leavesMore(left(), left({ nextLookAt: null }))).toBe(true);
  });
});

describe('a plan before the wake', () => {
  it.each<[string, { open: OpenRows; hasArrivals: boolean }, Partial<LeftToWorkflow>, boolean]>([
    ['if nothing is built and nothing has arrived', { open: nothing, hasArrivals: false }, {}, true],
    ['not if a pull request has arrived and nothing is built', { open: nothing, hasArrivals: true }, {}, false],
    ['if one has arrived in a paused queue', { open: nothing, hasArrivals: true }, { state: 'paused' }, true],
    ['if one has arrived while others are built', { open: left().open, hasArrivals: true }, {}, true],
    ['not if a batch has gone on', { open: { ...nothing, batches: [batch('9')] }, hasArrivals: false }, {}, false],
  ])('is worth while %s', (_, before, earlier, expected) => {
    expect(mayLeaveNothing(before, left(earlier))).toBe(expected);
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
