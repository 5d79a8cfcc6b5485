// The time limit of a plan or a leaf stands still while a command waits for room at its worker.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startStepLimit } from '../../src/modules/runbooks/driving/step-limit.ts';
import { atMost } from '../../src/platform/at-most.ts';

const limitMs = 6_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('is over after the limit if no command waits', async () => {
  const limit = startStepLimit({ limitMs, onLeft: async () => await Promise.resolve() });
  await vi.advanceTimersByTimeAsync(limitMs - 1);
  expect(limit.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(limit.signal.aborted).toBe(true);
});

it('does not count the time in which a command waits for room, and goes on with the rest', async () => {
  const inTurn = atMost(1);
  const others = Promise.withResolvers<void>();
  const otherCommand = inTurn(async () => await others.promise);
  const left: (number | null)[] = [];
  const limit = startStepLimit({ limitMs, inTurn, onLeft: async (ms) => await Promise.resolve(void left.push(ms)) });
  await vi.advanceTimersByTimeAsync(2_000);
  const ended = Promise.withResolvers<void>();
  const command = limit.inTurn(async () => await ended.promise);
  await vi.advanceTimersByTimeAsync(10 * limitMs);
  expect(left).toEqual([null]);
  expect(limit.signal.aborted).toBe(false);
  others.resolve();
  await otherCommand;
  await vi.advanceTimersByTimeAsync(3_999);
  expect(left).toEqual([null, 4_000]);
  expect(limit.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(limit.signal.aborted).toBe(true);
  ended.resolve();
  await command;
});
