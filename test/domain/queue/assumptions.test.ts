// The assumptions of speculative builds: which pull requests before a unit land, the most probable outcome first.
import { describe, expect, test } from 'vitest';
import type { BatchState, PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import {
  firstMember,
  listAssumedIndices,
  listAssumedOptimistically,
  mostLikelyCandidate,
  nextCandidates,
  type Candidate,
} from '../../../src/domain/queue/speculation/assumptions.ts';
import type { SpeculationGraph } from '../../../src/domain/queue/speculation/graph.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import { now, pr, situation, type BatchSpec, type Situation } from './situation.ts';

function graphOf(from: Situation): SpeculationGraph {
  const rules = { speculation: 'adaptive', useAffectedTargets: true, ...from.rules } as const;
  return viewGraph(viewLine(situation({ ...from, rules }), now));
}

const a = ['a'];
const on = (number: number, change: Partial<PullRequestState> = {}) => pr(number, { targets: a, ...change });
const three = [on(1), on(2), on(3)];

function speculative(of: readonly number[], build: BatchSpec['build'], change: Partial<BatchState> = {}): BatchSpec {
  return { of, build, change: { sideBuild: 'speculative', ...change } };
}

function candidateFor(graph: SpeculationGraph, probabilities: readonly number[], members = [2]): Candidate | null {
  return mostLikelyCandidate(graph, Float64Array.from(probabilities), members);
}

describe('the most probable outcome before the third pull request', () => {
  const decided = (candidate: Candidate | null) =>
    candidate && {
      certain: candidate.certain,
      lands: candidate.undecided.flatMap(({ index, lands }) => (lands ? [index] : [])),
      fails: candidate.undecided.flatMap(({ index, lands }) => (lands ? [] : [index])),
      probability: Number(candidate.next.probability.toFixed(4)),
    };
  const failed = { ...on(3), reorderedForFailure: true };
  test.each<[string, Situation, readonly number[], ReturnType<typeof decided>]>([
    [
      'is that both land, the least certain one first',
      {},
      [0.9, 0.6],
      { certain: [], lands: [1, 0], fails: [], probability: 0.54 },
    ],
    ['is that an unlikely one fails', {}, [0.2, 0.9], { certain: [], lands: [1], fails: [0], probability: 0.72 }],
    [
      'is that a pull request of even odds lands',
      {},
      [0.5, 0.9],
      { certain: [], lands: [0, 1], fails: [], probability: 0.45 },
    ],
    [
      'has only those that overlap it',
      { waiting: [on(1, { targets: ['b'] }), on(2), on(3)] },
      [0.9, 0.6],
      { certain: [], lands: [1], fails: [], probability: 0.6 },
    ],
    ['is unknown behind a barrier', { waiting: [on(1, { isBarrier: true }), on(2), on(3)] }, [0.9, 0.6], null],
    [
      'contains those that land already',
      { line: [speculative([1], 'success', { landingPlanned: true })] },
      [0.2, 0.9],
      { certain: [0], lands: [1], fails: [], probability: 0.18 },
    ],
    [
      'contains those that skipped the line',
      { waiting: [on(1, { skipLine: true }), on(2), on(3)] },
      [0.2, 0.9],
      { certain: [0], lands: [1], fails: [], probability: 0.18 },
    ],
    [
      'contains all that it is stacked on',
      {
        waiting: [
          on(1, { targets: ['b'], stack: 'p1' }),
          on(2, { targets: ['c'], stack: 'p1', below: 'p1' }),
          on(3, { stack: 'p1', below: 'p2' }),
        ],
      },
      [0.4, 0.3],
      { certain: [1], lands: [], fails: [], probability: 0.3 },
    ],
    [
      'is not enumerated for an isolated retry',
      { waiting: [on(1), on(2), failed] },
      [0.9, 0.6],
      { certain: [], lands: [], fails: [], probability: 1 },
    ],
    [
      'is with linear speculation that an unlikely one lands',
      { rules: { speculation: 'linear' } },
      [0.2, 0.9],
      { certain: [], lands: [0, 1], fails: [], probability: 0.72 },
    ],
    [
      'is with linear speculation that an unlikely one fails whose build failed',
      { rules: { speculation: 'linear' }, line: [speculative([1], 'failure')] },
      [0.2, 0.9],
      { certain: [], lands: [1], fails: [0], probability: 0.72 },
    ],
  ])('%s', (_name, from, probabilities, expected) => {
    const graph = graphOf({ waiting: three, ...from });
    expect(decided(candidateFor(graph, [...probabilities, 0.5]))).toEqual(expected);
  });

  test('does not contain the members of the same build', () => {
    const candidate = candidateFor(graphOf({ waiting: three }), [0.9, 0.6, 0.5], [1, 2]);
    expect(candidate && [firstMember(candidate), decided(candidate)]).toEqual([
      1,
      { certain: [], lands: [0], fails: [], probability: 0.9 },
    ]);
  });
});

test('every outcome is enumerated once, and never before a more probable one', () => {
  const graph = graphOf({ waiting: [on(1), on(2), on(3), on(4), on(5)] });
  const first = candidateFor(graph, [0.9, 0.6, 0.2, 0.7, 0.5], [4])!;
  const open = [first];
  const seen: Candidate[] = [];
  while (open.length > 0) {
    open.sort((x, y) => x.next.probability - y.next.probability);
    const next = open.pop()!;
    seen.push(next);
    open.push(...nextCandidates(next));
  }
  const outcomes = seen.map((each) => listAssumedIndices(graph, each, [])?.join() ?? 'none');
  expect(new Set(outcomes).size).toBe(16);
  expect(seen).toHaveLength(16);
  // The product of the probabilities of the outcome.
  const chances = [0.9, 0.6, 0.2, 0.7];
  for (const [at, each] of seen.entries()) {
    const assumed = new Set(listAssumedIndices(graph, each, []));
    const chance = chances.reduce((product, lands, index) => product * (assumed.has(index) ? lands : 1 - lands), 1);
    expect(each.next.probability).toBeCloseTo(chance, 10);
    expect(each.next.probability).toBeLessThanOrEqual((seen[at - 1]?.next.probability ?? 1) + 1e-12);
  }
  expect(outcomes[0]).toBe('0,1,3');
});

describe('the assumed pull requests', () => {
  const stacked = [on(1, { stack: 'p1' }), on(2, { stack: 'p1', below: 'p1' }), on(3)];
  const conflict = { parent: 'tip', after: ['h1'] };
  const both = [0.9, 0.6];
  test.each<[string, Situation, readonly number[], readonly number[], readonly number[] | null]>([
    ['are those that are likely to land', {}, both, [], [0, 1]],
    ['are without the one whose outcome is flipped', {}, both, [0], [0]],
    ['contain an unlikely one whose outcome is flipped', {}, [0.2, 0.9], [0], [0, 1]],
    ['are not possible without the one below', { waiting: stacked }, both, [1], null],
    ['are possible without those above', { waiting: stacked }, both, [0], [0]],
    ['are not possible with a known conflict', { waiting: [on(1), on(2, { conflict }), on(3)] }, both, [], null],
    ['are possible if the conflict is avoided', { waiting: [on(1), on(2, { conflict }), on(3)] }, both, [0], [0]],
    ['are not possible with all of a red build', { line: [speculative([1, 2], 'failure')] }, both, [], null],
    ['are possible with a part of a red build', { line: [speculative([1, 2], 'failure')] }, both, [0], [0]],
  ])('%s', (_name, from, probabilities, flipped, expected) => {
    const graph = graphOf({ waiting: three, ...from });
    const candidate = candidateFor(graph, [...probabilities, 0.5])!;
    const reds = graph.builds.filter(({ verdict }) => verdict.kind === 'red');
    expect(listAssumedIndices(graph, { ...candidate, next: { ...candidate.next, flipped } }, reds)).toEqual(expected);
  });

  const linear = { rules: { speculation: 'linear' } } as const;
  test.each<[string, Situation, readonly number[] | null]>([
    ['are all with linear speculation', {}, [0, 1]],
    ['are all but one that conflicts', { waiting: [on(1), on(2, { conflict }), on(3)] }, [0]],
    [
      'are all but one that conflicts and those that are stacked on it',
      {
        waiting: [
          on(1),
          on(2, { conflict: { parent: 'tip', after: [] }, stack: 'p2' }),
          on(2.5, { id: 'px', head: 'hx', below: 'p2', stack: 'p2' }),
          on(3),
        ],
      },
      [0],
    ],
    [
      'are none if one that must be assumed conflicts',
      {
        waiting: [
          on(1),
          on(2, { conflict: { parent: 'tip', after: [] }, stack: 'p2' }),
          on(3, { stack: 'p2', below: 'p2' }),
        ],
      },
      null,
    ],
    ['are all but one whose build failed', { line: [speculative([1], 'failure')] }, [1]],
  ])('%s', (_name, from, expected) => {
    const graph = graphOf({ waiting: three, ...linear, ...from });
    const last = graph.line.length - 1;
    const candidate = candidateFor(graph, [...graph.line.map(() => 0.4)], [last]);
    expect(candidate && listAssumedOptimistically(graph, candidate)).toEqual(expected);
  });
});
