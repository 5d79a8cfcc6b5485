import { expect, it } from 'vitest';
import { decideMoment, decideSpan, takeStep, type Moment } from '../../dashboard/src/queue/look-back.ts';

const minute = 60_000;
const at = (n: number): number => Date.parse('2026-11-23T12:00:00Z') + n * minute;
const moments: readonly Moment[] = Array.from({ length: 60 }, (_, n) => ({
  at: new Date(at(n)).toISOString(),
  queued: n < 20 ? 0 : 3,
  landings: n === 40 ? 1 : 0,
  resets: n === 50 ? 2 : 0,
}));

it.each([
  { key: 'left', shown: 60, by: -1, isLong: false, next: 50, why: 'to the reset' },
  { key: 'left', shown: 50, by: -1, isLong: false, next: 40, why: 'to the landing' },
  { key: 'left', shown: 40, by: -1, isLong: false, next: 20, why: 'to where the depth changed' },
  { key: 'left', shown: 20, by: -1, isLong: false, next: 0, why: 'to the beginning, where nothing happened before' },
  { key: 'right', shown: 0, by: 1, isLong: false, next: 20, why: 'to where the depth changed' },
  { key: 'right', shown: 45, by: 1, isLong: false, next: 50, why: 'to the reset' },
  { key: 'right', shown: 50, by: 1, isLong: false, next: 60, why: 'to now, where nothing happened since' },
  { key: 'Shift and left', shown: 60, by: -1, isLong: true, next: 50, why: 'ten minutes back' },
  { key: 'Shift and left', shown: 4, by: -1, isLong: true, next: 0, why: 'to the beginning at most' },
  { key: 'Shift and right', shown: 55, by: 1, isLong: true, next: 60, why: 'to now at most' },
] as const)('from minute $shown, $key goes $why', ({ shown, by, isLong, next }) => {
  const taken = takeStep({ shown: at(shown), from: at(0), to: at(60), by, isLong }, moments);
  expect((taken - at(0)) / minute).toBe(next);
});

it.each([
  ['a new repository', 20, 15],
  ['a young repository', 30 * 60, 60],
  ['an older repository', 2 * 60 * 60, 180],
])('%s, %i seconds old, is shown with a span of %i minutes', (_of, ageSec, minutes) => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  expect(decideSpan(now - ageSec * 1000, now)).toBe(minutes * 60_000);
});

it.each([
  ['a place in the rest of the present minute is the present', 40_000, 5_000, null],
  ['the place of the present instant is the present', 0, 5_000, null],
  ['a place half a step before the present is the present', -2_500, 5_000, null],
  ['an earlier place is that moment', -2_501, 5_000, -2_501],
  ['if the clock of the page is two seconds ahead, no moment is in the future', -2_000, 1_000, null],
  ['in a chart of three hours the present takes half a minute', -30_000, 60_000, null],
])('%s', (_what, offsetMs, stepMs, expected) => {
  const now = Date.parse('2026-11-20T10:00:20Z');
  const moment = decideMoment(now + offsetMs, { now, stepMs });
  expect(moment === null ? null : moment - now).toBe(expected);
});
