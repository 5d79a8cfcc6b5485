// The days under faults that `npm test` plays: 17 for each configuration. They are in several test files, so that they
// run at the same time.
import { expect, it } from 'vitest';
import { configurations, type ConfigurationName } from './configurations.ts';
import { dayOf } from './days.ts';
import { simulate } from './simulate.ts';

const daysOfEach = 17;

/** A busy day takes ten times as long as a quiet one. Only the full tier plays busy days. */
function seedsOf(name: ConfigurationName): readonly number[] {
  const at = configurations.findIndex((each) => each.name === name);
  const seeds = Array.from({ length: 2 * daysOfEach }, (_, nth) => at + nth * configurations.length);
  return seeds.filter((seed) => dayOf(seed, 0).pace !== 'busy').slice(0, daysOfEach);
}

export function playDaysUnderFaults(...names: readonly ConfigurationName[]): void {
  it.each(names.flatMap(seedsOf))(
    'keeps every rule for a day under faults of seed %i',
    { timeout: 600_000 },
    async (seed) => {
      const outcome = await simulate({ seed, days: 1 });
      expect(outcome.problems).toEqual([]);
      expect(outcome.days).toBe(1);
      expect(outcome.faults.length).toBeGreaterThan(0);
    },
  );
}
