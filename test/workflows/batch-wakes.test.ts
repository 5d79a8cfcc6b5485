// When a turn of a queue wakes the workflow of a batch.
import { describe, expect, it } from 'vitest';
import type { Context, Wake } from '../../src/context.ts';
import { createBatchWakes, needsWake } from '../../workflows/queue/batch-wakes.ts';

type Need = Parameters<typeof needsWake>[0];

describe('a batch is woken', () => {
  const at = 1_000_000;
  const minute = 60_000;
  type Before = { readonly need: Need; readonly agoMs: number; readonly wakes: number };
  const cases: readonly [string, Need, Before | null, boolean][] = [
    ['if it is new', 'make', null, true],
    ['if it has ended and this process sees it for the first time', 'clean_up', null, true],
    ['not if it waits and another process has started it', 'wait', null, false],
    ['not while its commit is made', 'make', { need: 'make', agoMs: 9_999, wakes: 1 }, false],
    ['not if its own workflow goes on to open its build', 'open', { need: 'make', agoMs: 50, wakes: 1 }, false],
    ['not if its own workflow goes on to wait', 'wait', { need: 'make', agoMs: 50, wakes: 1 }, false],
    ['not if it waits at last, after a long time', 'wait', { need: 'make', agoMs: minute, wakes: 1 }, false],
    ['if it waited and needs a build of its own now', 'open', { need: 'wait', agoMs: 50, wakes: 0 }, true],
    ['not again while its build is opened', 'open', { need: 'open', agoMs: 9_999, wakes: 1 }, false],
    ['if it has ended', 'clean_up', { need: 'wait', agoMs: 50, wakes: 0 }, true],
    ['if it has ended before its commit was made', 'clean_up', { need: 'make', agoMs: 50, wakes: 1 }, true],
    ['not again while it is cleaned up', 'clean_up', { need: 'clean_up', agoMs: 9_999, wakes: 1 }, false],
    ['again if a step is not done after ten seconds', 'make', { need: 'make', agoMs: 10_000, wakes: 1 }, true],
    ['not a second time before twice the time has passed', 'make', { need: 'make', agoMs: 19_999, wakes: 2 }, false],
    ['a second time after twice the time', 'make', { need: 'make', agoMs: 20_000, wakes: 2 }, true],
    ['again after at most five minutes', 'make', { need: 'make', agoMs: 5 * minute, wakes: 50 }, true],
    [
      'again if it is not cleaned up after ten seconds',
      'clean_up',
      { need: 'clean_up', agoMs: 10_000, wakes: 1 },
      true,
    ],
    [
      'not while it waits, because its workflow polls',
      'wait',
      { need: 'wait', agoMs: 5 * minute - 1, wakes: 0 },
      false,
    ],
    ['again after five minutes of waiting', 'wait', { need: 'wait', agoMs: 5 * minute, wakes: 0 }, true],
    ['soon again if a first turn woke it while it waited', 'wait', { need: 'wait', agoMs: 10_000, wakes: 1 }, true],
  ];
  it.each(cases)('%s', (_, need, before, expected) => {
    const known = before === null ? undefined : { ...before, at: at - before.agoMs };
    expect(needsWake(need, known, at)).toBe(expected);
  });
});

describe('turns of a queue', () => {
  function turns() {
    const woken: string[] = [];
    let now = 0;
    const wakes = createBatchWakes(() => now);
    const ctx = {
      accountId: '1',
      wake: async (whose: Wake) =>
        void woken.push('batchId' in whose ? `${whose.batchId}${whose.isNew ? ' is new' : ''}` : 'another row'),
    } as unknown as Context;
    return {
      /** Takes a turn that sees these batches. Returns the ids of the woken ones. */
      take: async (needs: Readonly<Record<string, Need>>, { queueId = '1', isFirstTurn = false } = {}) => {
        now += 1_000;
        woken.length = 0;
        const batches = Object.entries(needs).map(([id, need]) => ({
          id,
          need,
          title: '',
          details: '',
          isQuick: true,
        }));
        await wakes.wake(ctx, { queueId, batches, isFirstTurn });
        return [...woken];
      },
    };
  }

  it('wake each batch when it is new, and when it has ended', async () => {
    const { take } = turns();
    expect(await take({ 1: 'make' })).toEqual(['1 is new']);
    expect(await take({ 1: 'wait', 2: 'make' })).toEqual(['2 is new']);
    expect(await take({ 1: 'clean_up', 2: 'wait' })).toEqual(['1']);
    expect(await take({ 1: 'clean_up', 2: 'wait' })).toEqual([]);
    expect(await take({ 2: 'wait' })).toEqual([]);
  });

  it('wake every batch in the first turn of a run, also those that wait', async () => {
    const { take } = turns();
    await take({ 1: 'make' });
    expect(await take({ 1: 'wait', 2: 'wait' }, { isFirstTurn: true })).toEqual(['1', '2']);
  });

  it('signal a batch whose start was not enough, because it may be running', async () => {
    const { take } = turns();
    expect(await take({ 1: 'make' })).toEqual(['1 is new']);
    expect(await take({ 1: 'clean_up' })).toEqual(['1']);
  });

  it('repeat a wake ever less often while nothing changes', async () => {
    const { take } = turns();
    const wokenAt: number[] = [];
    for (let second = 1; second <= 200; second += 1) if ((await take({ 1: 'make' })).length > 0) wokenAt.push(second);
    expect(wokenAt).toEqual([1, 11, 31, 71, 151]);
  });

  it('of two queues remember their batches separately', async () => {
    const { take } = turns();
    expect(await take({ 1: 'make' }, { queueId: '1' })).toEqual(['1 is new']);
    expect(await take({ 2: 'make' }, { queueId: '2' })).toEqual(['2 is new']);
    expect(await take({ 1: 'make' }, { queueId: '1' })).toEqual([]);
  });
});
