// The whole installation under faults, by seeds (docs/fault-simulation.md). faults.full.test.ts has more and busier days.
import { expect, it } from 'vitest';
import { dayOf } from './days.ts';
import { simulate } from './simulate.ts';

const timeout = 600_000;
const seeds = Array.from({ length: 14 }, (_, nth) => 1 + nth).filter((seed) => dayOf(seed, 0).pace !== 'busy');

// A day for each seed, and three or four seeds for each configuration.
it.each(seeds)('keeps every rule for a day under faults of seed %i', { timeout }, async (seed) => {
  const outcome = await simulate({ seed, days: 1 });
  expect(outcome.problems).toEqual([]);
  expect(outcome.days).toBe(1);
  expect(outcome.faults.length).toBeGreaterThan(0);
});

it('plays the same history twice under the same seed', { timeout }, async () => {
  const first = await simulate({ seed: 7, days: 30, steps: 70 });
  expect(await simulate({ seed: 7, days: 30, steps: 70 })).toEqual(first);
});
