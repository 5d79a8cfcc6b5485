// The whole installation under faults, by seeds (docs/fault-simulation.md). faults.full.test.ts has longer histories.
import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';

const timeout = 600_000;
const short = { days: 30, steps: 70 } as const;

// One or two seeds for each configuration.
it.each([1, 2, 3, 4, 5, 6])('keeps every rule under faults of seed %i', { timeout }, async (seed) => {
  const outcome = await simulate({ seed, days: 0.25 });
  expect(outcome.problems).toEqual([]);
  expect(outcome.days).toBe(0.25);
  expect(outcome.faults.length).toBeGreaterThan(0);
});

it('plays the same history twice under the same seed', { timeout }, async () => {
  const first = await simulate({ seed: 7, ...short });
  expect(await simulate({ seed: 7, ...short })).toEqual(first);
});
