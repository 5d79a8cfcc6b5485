// A seed decides everything (docs/fault-simulation.md). The days of each configuration are in files of their own.
import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';

it('plays the same history twice under the same seed', { timeout: 600_000 }, async () => {
  const first = await simulate({ seed: 7, days: 30, steps: 70 });
  expect(await simulate({ seed: 7, days: 30, steps: 70 })).toEqual(first);
});
