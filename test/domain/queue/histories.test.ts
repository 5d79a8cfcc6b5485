import fc from 'fast-check';
import { expect, test } from 'vitest';
import { histories, runHistory } from './history.ts';

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2_147_483_647);
const numRuns = Number(process.env['FC_RUNS'] ?? 10_000);

test(`whatever happens, what was tested is what lands, in order, once, and every queue drains (${numRuns} histories, FC_SEED=${seed})`, {
  timeout: 180_000,
}, () => {
  console.info(`histories: FC_SEED=${seed}`);
  let merged = 0;
  fc.assert(
    fc.property(histories, (history) => {
      merged += runHistory(history).pullRequests.filter((row) => row.status === 'merged').length;
    }),
    { seed, numRuns },
  );
  // The model is alive: histories that never land anything would prove nothing.
  expect(merged).toBeGreaterThan(numRuns);
});
