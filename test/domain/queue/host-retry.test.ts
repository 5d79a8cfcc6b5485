import { describe, expect, it } from 'vitest';
import {
  awaitHost,
  decideNextAttempt,
  isLandingHalt,
  landingHaltText,
  maxEffectAttempts,
} from '../../../src/domain/queue/landing/host-retry.ts';

const waits = (sort: 'step' | 'text', attempts: number): (number | null)[] =>
  Array.from({ length: attempts }, (_, n) => decideNextAttempt(sort, n + 1));

describe('work that failed at the host is tried again', () => {
  it('soon at first, and then later and later', () => {
    expect(waits('step', 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(waits('text', 12).slice(-2)).toEqual([1_024_000, 1_800_000]);
  });
  it('for more than four hours for a notification, and without an end for work of the queue', () => {
    const text = waits('text', maxEffectAttempts);
    expect(text.at(-1)).toBeNull();
    expect(text.reduce<number>((sum, wait) => sum + (wait ?? 0), 0)).toBeGreaterThan(4 * 3_600_000);
    expect(decideNextAttempt('step', 10_000)).toBe(60_000);
  });

  it.each([
    { said: 'nothing', retryAt: null, waitMs: 60_000, waits: 60_000 },
    { said: 'an instant that has passed', retryAt: 9_000, waitMs: 4_000, waits: 4_000 },
    { said: 'this very instant', retryAt: 10_000, waitMs: 4_000, waits: 4_000 },
    { said: 'later than the usual wait', retryAt: 3_610_000, waitMs: 1_000, waits: 3_601_000 },
    { said: 'sooner than the usual wait', retryAt: 15_000, waitMs: 1_800_000, waits: 6_000 },
  ])('after $waits ms instead of $waitMs, if the host has given $said', ({ retryAt, waitMs, waits }) => {
    expect(awaitHost(waitMs, { retryAt, now: 10_000 })).toBe(waits);
  });
});

it('the halt by a landing names its batch, and no other halt is taken for it', () => {
  const reason = landingHaltText('7', { attempts: 20, reason: 'The host is away' });
  expect(reason).toBe('Landing batch 7 failed 20 times: The host is away');
  expect([isLandingHalt(reason, '7'), isLandingHalt(reason, null)]).toEqual([true, true]);
  expect(isLandingHalt(landingHaltText('77', { attempts: 20, reason: 'The host is away' }), '77')).toBe(true);
  expect([isLandingHalt(reason, '77'), isLandingHalt('Landing is stopped by hand', null)]).toEqual([false, false]);
  expect(isLandingHalt(`An admin said: ${reason}`, null)).toBe(false);
  expect(isLandingHalt(null, '7')).toBe(false);
});
