// The impact of a change, if builds are speculative builds.
import { expect, test } from 'vitest';
import { measureImpact } from '../../../src/domain/queue/dry-run.ts';
import type { BatchState, Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, pr, situation, type BatchSpec } from './situation.ts';

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

function inLine(waiting: Snapshot['pullRequests'], ...line: readonly BatchSpec[]): Snapshot {
  return situation({ waiting, line, rules });
}

test('a pull request that skips the line resets those that it overlaps, and starts builds of them on top of itself', () => {
  const lanes = [pr(1, { ...api, status: 'tagged' }), pr(2, { ...web, status: 'tagged' })];
  const started = { buildStartedAt: now - 3 * minute };
  const before = inLine(lanes, speculative([], 1, started), speculative([], 2, started));
  const after = { ...before, pullRequests: [...lanes, pr(3, { ...web, skipLine: true })] };
  expect(measureImpact({ before, after }, now)).toEqual({
    resets: [{ code: 302, pullRequests: [2] }],
    buildsStarted: [[3], [2]],
    buildsStopped: [[2]],
    landingsHeld: [],
    leaving: [],
    buildMsLost: 3 * minute,
  });
});

test('a pull request with another live build is not reset, and is held once', () => {
  const line = [pr(1, { status: 'tagged' }), pr(2, { status: 'tagged' })];
  const before = inLine(line, speculative([], 1), speculative([1], 2), speculative([], 2));
  const left = {
    ...before,
    pullRequests: line.slice(1),
    departures: [{ pullRequest: 'p1', code: 303 as const }],
  };
  expect(measureImpact({ before, after: left }, now)).toEqual({
    resets: [],
    buildsStarted: [],
    buildsStopped: [[1], [2]],
    landingsHeld: [],
    leaving: [1],
    buildMsLost: expect.any(Number),
  });
  const paused = { ...before, queue: { ...before.queue, paused: true } };
  expect(measureImpact({ before, after: paused }, now).landingsHeld).toEqual([1, 2]);
});
