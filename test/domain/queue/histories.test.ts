import { fc, seed } from '../../support/properties.ts';
import { expect, test } from 'vitest';
import { examples } from '../../support/tier.ts';
import { histories, runHistory } from './history.ts';

const numRuns = examples({ standard: 250, full: 10_000 });

const everyKind = [
  ...['AnnounceStuck', 'AnnounceTop', 'BisectBatch', 'FailBatch', 'LandBatch', 'PlanAgainAt', 'ReadChecks'],
  ...[
    'RequeuePullRequest',
    'Reorder failed',
    'Reorder unlikely',
    'ReturnBatch 301',
    'RunGate',
    'StartBatch',
    'StartBatch part',
    'StartBatch isolation',
    'StartBatch speculative',
  ],
  ...[106, 107, 111, 112, 119].map((code) => `BlockPullRequest ${code}`),
  ...[301, 302, 303, 304, 305, 307, 308, 309, 310].map((code) => `SupersedeBatch ${code}`),
];

test(`in every history, each pull request lands once, in order and as it was tested, and the queue becomes empty (${numRuns} histories, FC_SEED=${seed})`, {
  timeout: 180_000,
}, () => {
  console.info(`histories: FC_SEED=${seed}`);
  let merged = 0;
  const seen = new Set<string>();
  fc.assert(
    fc.property(histories, (history) => {
      const world = runHistory(history);
      merged += world.pullRequests.filter((row) => row.status === 'merged').length;
      for (const kind of world.seen) seen.add(kind);
    }),
    { numRuns },
  );
  // The histories must land something. Otherwise they would prove nothing.
  expect(merged).toBeGreaterThan(numRuns);
  if (numRuns >= 2000) expect([...seen]).toEqual(expect.arrayContaining(everyKind));
});
