// The days under faults that `npm test` plays: fifty for each configuration. Each configuration has a test file of its
// own, so that they run at the same time.
import { expect, it } from 'vitest';
import { dayOf } from './days.ts';
import { configurations, simulate } from './simulate.ts';

const daysOfEach = 50;

/** A busy day takes ten times as long as a quiet one. Only the full tier plays busy days. */
function seedsOf(name: (typeof configurations)[number]['name']): readonly number[] {
  const at = configurations.findIndex((each) => each.name === name);
  const seeds = Array.from({ length: 2 * daysOfEach }, (_, nth) => at + nth * configurations.length);
  return seeds.filter((seed) => dayOf(seed, 0).pace !== 'busy').slice(0, daysOfEach);
}

export function playDaysUnderFaults(name: (typeof configurations)[number]['name']): void {
  it.each(seedsOf(name))('keeps every rule for a day under faults of seed %i', { timeout: 600_000 }, async (seed) => {
    const outcome = await simulate({ seed, days: 1 });
    expect(outcome.problems).toEqual([]);
    expect(outcome.days).toBe(1);
    expect(outcome.faults.length).toBeGreaterThan(0);
  });
}
