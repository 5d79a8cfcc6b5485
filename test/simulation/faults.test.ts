// The whole installation under faults, by seeds (docs/fault-simulation.md). faults.full.test.ts has longer histories.
import { expect, it } from 'vitest';
import { ranges, readRanges } from './minimise.ts';
import { simulate } from './simulate.ts';

const timeout = 600_000;
const short = { days: 30, steps: 70 } as const;

// Four seeds, one for each configuration.
it.each([0, 1, 2, 3])('keeps every rule under faults of seed %i', { timeout }, async (seed) => {
  const outcome = await simulate({ seed, ...short });
  expect(outcome.problems).toEqual([]);
  expect(outcome.steps).toBe(short.steps);
  expect(outcome.faults.length).toBeGreaterThan(0);
});

it('plays the same history twice under the same seed', { timeout }, async () => {
  const first = await simulate({ seed: 7, ...short });
  expect(await simulate({ seed: 7, ...short })).toEqual(first);
});

it.each([
  ['', []],
  ['3', [3]],
  ['1-3,7,9-10', [1, 2, 3, 7, 9, 10]],
])('writes and reads steps as "%s"', (text, steps) => {
  expect(ranges(steps)).toBe(text);
  expect([...readRanges(text)]).toEqual(steps);
});
