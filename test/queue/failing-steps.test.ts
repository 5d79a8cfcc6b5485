// A queue is halted if the steps of a batch fail all the time, and not if they fail now and then.
import { expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { CallGivenBack } from '../../src/hosts/port.ts';
import { takeStep } from '../../src/modules/queue/builds/batch.refusals.ts';
import type { LoadedBatch } from '../../src/modules/queue/store/batch.rows.ts';

const minute = 60_000;
const loaded = { batch: { id: '1', queueId: '1' } } as LoadedBatch;

/** Takes a step at each instant, and returns the instants at which the queue would be halted. */
async function haltsOf(
  steps: readonly { readonly atMs: number; readonly fails: boolean; readonly by?: Error }[],
): Promise<number[]> {
  const halts: number[] = [];
  let now = 0;
  const db = { transaction: async () => await Promise.resolve(void halts.push(now)) };
  const ctx = { accountId: '1', db, clock: () => new Date(now) } as unknown as Context;
  for (const { atMs, fails, by = new Error('down') } of steps) {
    now = atMs;
    const step = async (): Promise<void> => await (fails ? Promise.reject(by) : Promise.resolve());
    await takeStep(ctx, loaded, { take: step }).catch(() => {});
  }
  return halts;
}

const failsEachMinute = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, nth) => ({ atMs: (from + nth) * minute, fails: true }));

it.each([
  ['steps that fail for ten minutes', failsEachMinute(0, 10), [10 * minute]],
  ['steps that fail for nine minutes', failsEachMinute(0, 9), []],
  ['two failures that are an hour apart', [...failsEachMinute(0, 0), ...failsEachMinute(60, 60)], []],
  [
    'failures with a success between them',
    [...failsEachMinute(0, 5), { atMs: 5.5 * minute, fails: false }, ...failsEachMinute(6, 12)],
    [],
  ],
  [
    'a call that a stop gives back, ten minutes after the first failure',
    [...failsEachMinute(0, 9), { atMs: 10 * minute, fails: true, by: new CallGivenBack() }],
    [],
  ],
  ['failures that go on after an hour', [...failsEachMinute(0, 3), ...failsEachMinute(60, 70)], [70 * minute]],
])('%s', async (_what, steps, halts) => {
  expect(await haltsOf(steps)).toEqual(halts);
});
