// The length of the line at each hour of a week.
import { expect, test } from 'vitest';
import { weekOf } from '../../dashboard/src/analytics/week.ts';

/** An hour in the reader's own zone, in a week that begins on Monday, 2026-11-16. */
const at = (day: number, hour: number): string => new Date(2026, 10, 16 + day, hour).toISOString();

test('the hours of two weeks are averaged, and the longest line is found', () => {
  const week = weekOf([
    { at: at(1, 14), queued: 2 },
    { at: at(8, 14), queued: 5 },
    { at: at(6, 23), queued: 3 },
    { at: at(7, 0), queued: 0 },
  ]);
  expect(week.hours[1]?.[14]).toBe(3.5);
  expect(week.hours[6]?.[23]).toBe(3);
  expect(week.hours[0]?.[0]).toBe(0);
  expect(week.hours[0]?.[1]).toBeNull();
  expect(week.longest).toEqual({ weekday: 1, hour: 14, queued: 3.5 });
});

test('a line that was always empty has no longest hour', () => {
  expect(weekOf([]).longest).toBeNull();
  expect(weekOf([{ at: at(0, 9), queued: 0 }]).longest).toBeNull();
});
