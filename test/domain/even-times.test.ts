import { describe, expect, test } from 'vitest';
import { nextTime } from '../../src/domain/even-times.ts';

const minute = 60_000;
const pause = 15 * minute;
const start = new Date('2026-11-23T12:00:00Z').getTime();

/** The instants of a row whose first work is at `from`. */
function timesOf(id: number, from: number, count: number): number[] {
  const times = [from];
  while (times.length < count) times.push(nextTime(String(id), times.at(-1) ?? from, pause));
  return times;
}

test.each([1, 2, 3, 4_000, 9_007_199_254])('row %i comes to an instant of its own, and keeps it', (id) => {
  const times = timesOf(id, start, 10);
  for (const [at, time] of times.slice(1).entries()) {
    expect(time - (times[at] ?? 0)).toBeLessThanOrEqual(pause);
    expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(0.75 * pause);
  }
  expect((times[9] ?? 0) - (times[8] ?? 0)).toBe(pause);
});

test('work that is late is due at the same instant again', () => {
  const own = timesOf(7, start, 10).at(-1) ?? 0;
  expect(nextTime('7', own + 8_000, pause)).toBe(own + pause);
});

describe('1,000 rows that begin together', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => 500 + index);
  /** The most rows whose work falls into one minute, in the round of this number. */
  const mostInMinute = (round: number): number => {
    const minutes = ids.map((id) => Math.floor((timesOf(id, start, round + 1)[round] ?? 0) / minute));
    return Math.max(...[...Map.groupBy(minutes, (each) => each).values()].map((those) => those.length));
  };

  test.each([
    ['at first all in one minute', 0, 1_000],
    ['after one pause at most 800 of them', 1, 800],
    ['after four pauses as many in each of the fifteen minutes', 4, 70],
  ])('%s', (_title, round, most) => {
    expect(mostInMinute(round)).toBeLessThanOrEqual(most);
  });
});
