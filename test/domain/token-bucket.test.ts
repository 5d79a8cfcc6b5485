import { expect, test } from 'vitest';
import { fullBucket, refillBucket } from '../../src/domain/token-bucket.ts';

const rate = { burst: 10, perSecond: 4 };
const start = 1_000_000;

test('a new bucket is full', () => {
  expect(fullBucket(rate, start)).toEqual({ left: 10, at: start });
});

test.each([
  ['at the same instant nothing comes in', 3, 0, 3],
  ['a part of a second brings a part', 3, 250, 4],
  ['a second brings the tokens of a second', 3, 1_000, 7],
  ['a bucket has at most its burst', 3, 60_000, 10],
  ['a debt is paid first', -10, 2_000, -2],
  ['a clock that was set back brings nothing', 3, -60_000, 3],
])('%s', (_title, left, laterMs, expected) => {
  const now = start + laterMs;
  expect(refillBucket({ left, at: start }, rate, now)).toEqual({ left: expected, at: now });
});

test('after the clock was set back, tokens come in from the new time on', () => {
  const back = refillBucket({ left: 3, at: start }, rate, start - 60_000);
  expect(refillBucket(back, rate, start - 59_000).left).toBe(7);
});
