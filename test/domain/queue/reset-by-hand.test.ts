// Which builds a reset by a user ends.
import { expect, test } from 'vitest';
import { afterDecisions, measureImpact } from '../../../src/domain/queue/dry-run.ts';
import { decideResetByHand } from '../../../src/domain/queue/planning/reset-by-hand.ts';
import type { Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, pr, situation } from './situation.ts';

const line = situation({
  waiting: [pr(1, { status: 'tagged' }), pr(2, { status: 'tagged' }), pr(3, { status: 'tagged' })],
  line: [
    { of: [1], build: 'pending', change: { buildStartedAt: now - minute } },
    { of: [2, 3], build: 'pending' },
  ],
});

function resetOf(snapshot: Snapshot, pullRequest: string | null): readonly (readonly string[])[] | string {
  const reset = decideResetByHand(snapshot.batches, pullRequest);
  if (reset.kind !== 'reset') return reset.kind;
  const ended = reset.decisions.flatMap((decision) => (decision.kind === 'SupersedeBatch' ? [decision] : []));
  expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 300));
  return ended.map(({ batch }) => {
    const { members = [] } = snapshot.batches.find(({ id }) => id === batch) ?? {};
    return members.map(({ pullRequest: id }) => id);
  });
}

test.each([
  ['every build of the queue', null, [['p1'], ['p2', 'p3']]],
  ['the first build, and the build on top of it', 'p1', [['p1'], ['p2', 'p3']]],
  ['only the last build', 'p3', [['p2', 'p3']]],
  ['nothing for a pull request without a build', 'p9', 'no build'],
])('ends %s', (_what, pullRequest, ended) => {
  expect(resetOf(line, pullRequest)).toEqual(ended);
});

test('ends nothing while a batch lands', () => {
  const [first, ...others] = line.batches;
  const landing = { ...line, batches: [...(first ? [{ ...first, landingStarted: true }] : []), ...others] };
  expect(resetOf(landing, null)).toBe('landing');
  expect(resetOf(landing, 'p3')).toBe('landing');
});

test('ends only this build, if it is beside the line', () => {
  const lane = { sideBuild: 'speculative', parentBatch: null, parentCommit: 'tip' } as const;
  const lanes = situation({
    waiting: [pr(1, { targets: ['api'], status: 'tagged' }), pr(2, { targets: ['web'], status: 'tagged' })],
    line: [
      { of: [1], build: 'pending', change: lane },
      { of: [2], build: 'pending', change: lane },
    ],
    rules: { useAffectedTargets: true },
  });
  expect(resetOf(lanes, 'p1')).toEqual([['p1']]);
});

test('ends the builds on top of a build, in whatever order the builds are read', () => {
  const reversed = { ...line, batches: line.batches.toReversed() };
  expect(resetOf(reversed, 'p1')).toEqual([['p2', 'p3'], ['p1']]);
  expect(resetOf(reversed, 'p3')).toEqual([['p2', 'p3']]);
});

test('is previewed: the builds stop, lose their time, and are made again', () => {
  const reset = decideResetByHand(line.batches, null);
  const decisions = reset.kind === 'reset' ? reset.decisions : [];
  expect(afterDecisions(line, decisions, now).batches).toEqual([]);
  expect(measureImpact({ before: line, after: line, decided: decisions }, now)).toMatchObject({
    resets: [{ code: 300, pullRequests: [1, 2, 3] }],
    buildsStopped: [[1], [2, 3]],
    landingsHeld: [],
    buildMsLost: 2 * minute,
  });
});
