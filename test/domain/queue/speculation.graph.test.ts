// What the planner of speculative builds reads from its graph: which red builds are explained, and which pull requests
// are in their isolated retry.
import { describe, expect, test } from 'vitest';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { findSmallestReds, findUnexplainedReds, halve } from '../../../src/domain/queue/speculation/culprit-search.ts';
import type { SpeculationGraph } from '../../../src/domain/queue/speculation/graph.ts';
import { isInIsolatedRetry } from '../../../src/domain/queue/speculation/isolated-retry.ts';
import {
  mayReorder,
  mayReorderForFailure,
  overlapsAll,
  wasReordered,
} from '../../../src/domain/queue/speculation/reorderable.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import type { PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { now, pr, situation, type BatchSpec, type Situation } from './situation.ts';

const adaptive = { speculation: 'adaptive', useAffectedTargets: true } as const;

function graphOf(from: Situation): SpeculationGraph {
  return viewGraph(viewLine(situation({ ...from, rules: { ...adaptive, ...from.rules } }), now));
}

const a = ['a'];
const on = (number: number, change: Partial<PullRequestState> = {}) => pr(number, { targets: a, ...change });
const four = [on(1), on(2), on(3), on(4)];

function speculative(of: readonly number[], build: BatchSpec['build']): BatchSpec {
  return { of, build, change: { sideBuild: 'speculative' } };
}
const red = (...of: readonly number[]): BatchSpec => speculative(of, 'failure');
const bisection = { group: 'g', max: 1, attempts: 1, phase: 'in_place' } as const;

describe('of the red builds', () => {
  const rows: readonly [name: string, from: Situation, smallest: readonly string[], unexplained: readonly string[]][] =
    [
      ['one batch alone is the smallest, and must be searched', { line: [red(1, 2)] }, ['b1'], ['b1']],
      ['one pull request alone is the smallest, and must not be searched', { line: [red(1)] }, ['b1'], []],
      ['one explains a batch that begins with it', { line: [red(1, 2), red(1)] }, ['b2'], []],
      ['one explains a batch that ends with it', { line: [red(1, 2), red(2)] }, ['b2'], []],
      ['one explains no batch without it', { line: [red(1, 2), red(3)] }, ['b1', 'b2'], ['b1']],
      ['two that share a pull request explain neither', { line: [red(1, 2), red(2, 3)] }, ['b1', 'b2'], ['b1', 'b2']],
      ['a batch explains a larger one', { line: [red(1, 2, 3), red(2, 3)] }, ['b2'], ['b2']],
      ['two equal ones explain neither', { line: [red(1), red(1)] }, ['b1', 'b2'], []],
      ['a green part explains nothing', { line: [red(1, 2), speculative([1], 'success')] }, ['b1'], ['b1']],
      ['a running batch is none', { line: [speculative([1, 2], 'pending')] }, [], []],
      [
        'a batch is bisected with linear speculation',
        { line: [red(1, 2)], rules: { speculation: 'linear' } },
        ['b1'],
        [],
      ],
      [
        'a batch is bisected if bisections are limited',
        { line: [red(1, 2)], rules: { maxBisectionAttempts: 3 } },
        ['b1'],
        [],
      ],
      ['a batch with a stack is bisected', { line: [red(1, 2)], waiting: [on(1), on(2, { stack: 'p2' })] }, ['b1'], []],
      [
        'a part of a bisected batch is bisected',
        { line: [red(1, 2)], waiting: [on(1), on(2, { bisection })] },
        ['b1'],
        [],
      ],
    ];
  test.each(rows)('%s', (_name, from, smallest, unexplained) => {
    const graph = graphOf({ waiting: four, ...from });
    expect(findSmallestReds(graph).map(({ batch }) => batch.id)).toEqual(smallest);
    expect(findUnexplainedReds(graph).map(({ batch }) => batch.id)).toEqual(unexplained);
  });
});

describe('a batch is halved', () => {
  test.each([
    [
      [0, 1, 2, 3],
      null,
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [
      [0, 1, 2, 3, 4],
      null,
      [
        [0, 1, 2],
        [3, 4],
      ],
    ],
    [[0, 1, 2, 3, 4], 2, [[0, 1], [2, 3], [4]]],
    [[7], null, [[7]]],
    [[], null, []],
  ])('%j with parts of at most %j: %j', (indices, maxBisectedBatchSize, halves) => {
    expect(halve(graphOf({ rules: { maxBisectedBatchSize } }), indices)).toEqual(halves);
  });
});

describe('the isolated retry', () => {
  const failed = on(2, { reorderedForFailure: true });
  const alone: Situation = { waiting: [on(1), failed] };
  test.each<[string, Situation, boolean]>([
    ['is that of a pull request that was reordered because its build failed', alone, true],
    ['is not over while its build runs', { ...alone, line: [speculative([2], 'pending')] }, true],
    ['is over when its build is green', { ...alone, line: [speculative([2], 'success')] }, false],
    ['is not that of a pull request that was not reordered', { waiting: [on(1), on(2)] }, false],
    ...[{ skipLine: true }, { isBarrier: true }, { stack: 'p2' }, { bisection }].map(
      (change): [string, Situation, boolean] => [
        `is not that of a pull request with a fixed place: ${Object.keys(change).join()}`,
        { waiting: [on(1), { ...failed, ...change, rank: 0 }] },
        false,
      ],
    ),
    ['waits for a barrier before it', { waiting: [on(1, { isBarrier: true }), failed] }, false],
    ['waits for a pull request that skipped the line', { waiting: [on(1, { skipLine: true }), failed] }, false],
    [
      'does not wait for a pull request that skipped the line and conflicts',
      { waiting: [on(1, { skipLine: true, conflict: { parent: 'tip', after: [] } }), failed] },
      true,
    ],
    [
      'does not wait for a disjoint pull request that skipped the line',
      { waiting: [on(1, { skipLine: true, targets: ['b'] }), failed] },
      true,
    ],
  ])('%s', (_name, from, expected) => {
    const graph = graphOf(from);
    expect(isInIsolatedRetry(graph, graph.indexOf.get('p2')!)).toBe(expected);
  });

  test('is never that of a pull request that is not in line', () => {
    expect(isInIsolatedRetry(graphOf(alone), 9)).toBe(false);
  });
});

describe('a pull request', () => {
  test.each<[string, Partial<PullRequestState>, object]>([
    ['may be reordered', {}, { may: true, forFailure: true, was: false, all: false }],
    [
      'is reordered at most once for a failure',
      { reorderedForFailure: true },
      { may: true, forFailure: false, was: true, all: false },
    ],
    ['that others passed was reordered', { timesPassed: 1 }, { may: true, forFailure: true, was: true, all: false }],
    [
      'that skips the line stays',
      { skipLine: true, timesPassed: 1 },
      { may: false, forFailure: false, was: false, all: false },
    ],
    ['of a stack stays', { stack: 'p1' }, { may: false, forFailure: false, was: false, all: false }],
    ['of a bisected batch stays', { bisection }, { may: false, forFailure: false, was: false, all: false }],
    ['that is a barrier stays', { isBarrier: true }, { may: false, forFailure: false, was: false, all: true }],
    ['with unknown targets stays', { targets: null }, { may: false, forFailure: false, was: false, all: true }],
  ])('%s', (_name, change, expected) => {
    const graph = graphOf({ waiting: [on(1, change)] });
    expect({
      may: mayReorder(graph, 0),
      forFailure: mayReorderForFailure(graph, 0),
      was: wasReordered(graph, 0),
      all: overlapsAll(graph, 0),
    }).toEqual(expected);
  });

  test('stays if targets are not used', () => {
    const graph = graphOf({ waiting: [on(1)], rules: { useAffectedTargets: false } });
    expect([mayReorder(graph, 0), overlapsAll(graph, 0)]).toEqual([false, true]);
  });

  test('that is not in line may not be reordered, and counts as overlapping all', () => {
    const graph = graphOf({ waiting: [on(1, { timesPassed: 1 })] });
    expect([mayReorder(graph, 1), mayReorderForFailure(graph, 1), wasReordered(graph), overlapsAll(graph, 1)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});
