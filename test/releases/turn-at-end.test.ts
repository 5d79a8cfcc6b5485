// When a supervised run lets its workflow take the turn that ends the run.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { turnAtEnd } from '../../src/modules/releases/driving/supervise-run.ts';

const minuteMs = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(firstLimitMs: number): { endsAt: number; readonly turns: number[]; readonly stop: () => void } {
  const begun = Date.now();
  const turns: number[] = [];
  const run = { endsAt: begun + firstLimitMs, turns, stop: () => {} };
  const { stop } = turnAtEnd(
    { clock: () => new Date() },
    {
      firstEndsAt: run.endsAt,
      readEndsAt: async () => await Promise.resolve(run.endsAt),
      takeTurn: async () => await Promise.resolve(void turns.push(Date.now() - begun)),
    },
  );
  return Object.assign(run, { stop });
}

it('takes the turn two seconds after the end of the time', async () => {
  const run = start(90 * minuteMs);
  await vi.advanceTimersByTimeAsync(90 * minuteMs + 1_999);
  expect(run.turns).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.turns).toEqual([90 * minuteMs + 2_000]);
  run.stop();
});

it('takes the turn within a minute after the time limit was shortened', async () => {
  const run = start(90 * minuteMs);
  await vi.advanceTimersByTimeAsync(10 * minuteMs + 1);
  run.endsAt = Date.now() - 5 * minuteMs;
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect(run.turns).toEqual([11 * minuteMs]);
  run.stop();
});

it('takes no turn before a time limit that was extended, and none after the run has ended', async () => {
  const run = start(minuteMs);
  run.endsAt += 5 * minuteMs;
  await vi.advanceTimersByTimeAsync(6 * minuteMs);
  expect(run.turns).toEqual([]);
  run.stop();
  await vi.advanceTimersByTimeAsync(6 * minuteMs);
  expect(run.turns).toEqual([]);
});
