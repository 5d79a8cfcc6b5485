// What `npm run simulate:faults` says about the seeds that it has played.
import { expect, it } from 'vitest';
import { sumUp, whatIsLeft, type Result } from '../../scripts/fault-results.mjs';

const day: Result = { seed: 1, days: 1, steps: 60, landings: 2, faults: 9, cpuSec: 1.5, problem: null };

it('sums up the seeds', () => {
  expect(sumUp([day, day, { ...day, days: 2, cpuSec: 1 }])).toBe(
    '3 seeds, 4.0 days, 180 steps, 6 landings, 27 faults, 4 s of CPU (1.0 s a day), with PostgreSQL and git.',
  );
});

it.each([
  ['nothing was played', [0, 0], { seed: 11, seeds: 5 }],
  ['one process is behind the other', [2, 1], { seed: 14, seeds: 2 }],
  ['both processes have played as much', [2, 2], { seed: 15, seeds: 1 }],
  ['all seeds were played', [3, 2], null],
] as const)('says from which seed a stopped run goes on: %s', (_, played, left) => {
  const results = played.map((seeds) => Array.from({ length: seeds }, () => day));
  expect(whatIsLeft(results, { seed: 11, seeds: 5 })).toEqual(left);
});
