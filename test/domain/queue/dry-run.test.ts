// What a change would do where builds are speculative builds beside the line.
import { expect, test } from 'vitest';
import { dryRun } from '../../../src/domain/queue/dry-run.ts';
import type { BatchState, Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { now, pr, situation, type BatchSpec } from './situation.ts';

const speculative = (assumes: readonly number[], of: number, change: Partial<BatchState> = {}): BatchSpec => ({
  of: [of],
  build: 'pending',
  change: {
    sideBuild: 'speculative',
    parentBatch: null,
    parentCommit: 'tip',
    assumes: assumes.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` })),
    ...change,
  },
});

const rules = { useAffectedTargets: true } as const;
const [api, web] = [{ targets: ['api'] }, { targets: ['web'] }];

function standing(waiting: Snapshot['pullRequests'], ...line: readonly BatchSpec[]): Snapshot {
  return situation({ waiting, line, rules });
}

test('a pull request that skips the line resets those it overlaps, and starts builds of them on top of it', () => {
  const lanes = [pr(1, { ...api, status: 'tagged' }), pr(2, { ...web, status: 'tagged' })];
  const before = standing(lanes, speculative([], 1), speculative([], 2));
  const after = { ...before, pullRequests: [...lanes, pr(3, { ...web, skipLine: true })] };
  expect(dryRun(before, after, now)).toEqual({
    resets: [{ code: 302, pullRequests: [2] }],
    buildsStarted: [[3], [2]],
    buildsStopped: [[2]],
    landingsHeld: [],
  });
});

test('who is in another build that stands is not reset, and is held once', () => {
  const line = [pr(1, { status: 'tagged' }), pr(2, { status: 'tagged' })];
  const before = standing(line, speculative([], 1), speculative([1], 2), speculative([], 2));
  const left = {
    ...before,
    pullRequests: line.slice(1),
    departures: [{ pullRequest: 'p1', code: 303 as const }],
  };
  expect(dryRun(before, left, now)).toEqual({
    resets: [],
    buildsStarted: [],
    buildsStopped: [[1], [2]],
    landingsHeld: [],
  });
  const paused = { ...before, queue: { ...before.queue, paused: true } };
  expect(dryRun(before, paused, now).landingsHeld).toEqual([1, 2]);
});
