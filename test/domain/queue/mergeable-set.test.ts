// Which pull requests may land together on the evidence of green speculative builds.
import { describe, expect, test } from 'vitest';
import type { BatchState, PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import type { SpeculationGraph } from '../../../src/domain/queue/speculation/graph.ts';
import {
  commitsOfBuilds,
  findExactBuild,
  findMergeableSet,
  findPassingSet,
  findUnvalidatedPullRequest,
} from '../../../src/domain/queue/speculation/mergeable-set.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import { now, pr, situation, type BatchSpec, type Situation } from './situation.ts';

const rules = { speculation: 'adaptive', useAffectedTargets: true } as const;

function graphOf(from: Situation): SpeculationGraph {
  return viewGraph(viewLine(situation({ ...from, rules: { ...rules, ...from.rules } }), now));
}

const on = (number: number, targets: readonly string[] | null, change: Partial<PullRequestState> = {}) =>
  pr(number, { targets, ...change });
const [a, b] = [['a'], ['b']];

function green(of: readonly number[], assumes: readonly number[] = [], change: Partial<BatchState> = {}): BatchSpec {
  const pinned = assumes.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` }));
  return { of, build: 'success', change: { sideBuild: 'speculative', assumes: pinned, ...change } };
}

/** The tip is a landing of #9 on the commit `root`. */
function landed(targets: readonly string[]): Pick<Situation, 'queue' | 'change'> {
  const members = [{ pullRequest: 'p9', head: 'h9', targets }];
  return {
    queue: { lineage: ['tip', 'root'] },
    change: { landings: [{ commit: 'tip', firstParent: 'root', members }] },
  };
}
const onRoot = { base: 'root', parentCommit: 'root' };
const bisection = { group: 'g', max: 1, attempts: 1, phase: 'in_place' } as const;

interface Row {
  readonly from: Situation;
  readonly lands: readonly string[];
  readonly by: readonly string[];
  readonly exact?: string;
}

describe('green builds land', () => {
  const disjoint = [on(1, a), on(2, b)];
  const shared = [on(1, a), on(2, a)];
  test.each<[string, Row]>([
    [
      'one pull request, as it was built',
      { from: { waiting: [on(1, a)], line: [green([1])] }, lands: ['p1'], by: ['b1'], exact: 'b1' },
    ],
    [
      'a batch, as it was built',
      { from: { waiting: shared, line: [green([1, 2])] }, lands: ['p1', 'p2'], by: ['b1'], exact: 'b1' },
    ],
    [
      'disjoint pull requests together',
      { from: { waiting: disjoint, line: [green([1]), green([2])] }, lands: ['p1', 'p2'], by: ['b1', 'b2'] },
    ],
    [
      'a pull request together with its assumption',
      { from: { waiting: shared, line: [green([2], [1])] }, lands: ['p1', 'p2'], by: ['b1'] },
    ],
    [
      'one on the other, by both builds',
      { from: { waiting: shared, line: [green([1]), green([2], [1])] }, lands: ['p1', 'p2'], by: ['b1', 'b2'] },
    ],
    [
      'nothing before an earlier pull request that it overlaps',
      { from: { waiting: shared, line: [green([2])] }, lands: [], by: [] },
    ],
    [
      'a pull request before an earlier one that is disjoint',
      { from: { waiting: disjoint, line: [green([2])] }, lands: ['p2'], by: ['b1'], exact: 'b1' },
    ],
    [
      'nothing behind one with unknown targets',
      { from: { waiting: [on(1, null), on(2, b)], line: [green([2])] }, lands: [], by: [] },
    ],
    [
      'one with unknown targets only by a build of all that land',
      {
        from: { waiting: [on(1, a), on(2, null)], line: [green([1]), green([2], [1])] },
        lands: ['p1', 'p2'],
        by: ['b1', 'b2'],
      },
    ],
    [
      'one with unknown targets not by a build that lacks a landed change',
      { from: { waiting: [on(1, null)], line: [green([1], [], onRoot)], ...landed(b) }, lands: [], by: [] },
    ],
    [
      'a pull request by a build before a disjoint landing, but not as it was built',
      { from: { waiting: [on(1, a)], line: [green([1], [], onRoot)], ...landed(b) }, lands: ['p1'], by: ['b1'] },
    ],
    [
      'nothing by a build before a landing that overlaps',
      { from: { waiting: [on(1, a)], line: [green([1], [], onRoot)], ...landed(a) }, lands: [], by: [] },
    ],
    [
      'no pull request that conflicts with one that lands',
      {
        from: {
          waiting: [on(1, a), on(2, b, { conflict: { parent: 'tip', after: ['h1'] } })],
          line: [green([1]), green([2])],
        },
        lands: ['p1'],
        by: ['b1'],
        exact: 'b1',
      },
    ],
    [
      'no part of a bisected batch together with others',
      {
        from: { waiting: [on(1, a, { bisection }), on(2, b)], line: [green([1]), green([2])] },
        lands: ['p1'],
        by: ['b1'],
        exact: 'b1',
      },
    ],
    [
      'nothing by a build that runs',
      { from: { waiting: [on(1, a)], line: [{ ...green([1]), build: 'pending' }] }, lands: [], by: [] },
    ],
    [
      'only a build of its own members, if validation is not optimistic',
      {
        from: { waiting: shared, line: [green([2], [1])], rules: { useOptimisticValidation: false } },
        lands: [],
        by: [],
      },
    ],
    [
      'one build at a time, if validation is not optimistic',
      {
        from: { waiting: disjoint, line: [green([1]), green([2])], rules: { useOptimisticValidation: false } },
        lands: ['p1'],
        by: ['b1'],
        exact: 'b1',
      },
    ],
    [
      'a pull request with final gates by a batch in line',
      {
        from: {
          waiting: [on(1, a)],
          line: [green([1], [], { gates: [{ workflow: 'smoke', timeoutMins: 5, run: null }] })],
        },
        lands: ['p1'],
        by: ['b1'],
      },
    ],
    [
      'by the build that was tested itself, of two with the same tree',
      {
        from: {
          waiting: [on(1, a)],
          line: [{ ...green([1], [], { tree: 'same' }), build: 'unstarted' }, green([1], [], { tree: 'same' })],
        },
        lands: ['p1'],
        by: ['b2'],
        exact: 'b2',
      },
    ],
    [
      'by the smaller of two builds that end with the same pull request',
      {
        from: { waiting: disjoint, line: [green([2], [1]), green([2]), green([1])] },
        lands: ['p1', 'p2'],
        by: ['b3', 'b2'],
      },
    ],
  ])('%s', (_name, { from, lands, by, exact }) => {
    const graph = graphOf(from);
    const set = findMergeableSet(graph, () => true);
    expect(set.indices.map((index) => graph.line[index]?.id)).toEqual(lands);
    expect(set.builds.map(({ batch }) => batch.id)).toEqual(by);
    expect(commitsOfBuilds(set)).toEqual(by.map((id) => `commit of ${id}`));
    expect(findExactBuild(graph, set)?.batch.id).toBe(exact);
  });

  test('nothing with a pull request that must wait', () => {
    const graph = graphOf({ waiting: shared, line: [green([1]), green([2], [1])] });
    const numbers = (waits: number) => findMergeableSet(graph, ({ number }) => number !== waits).indices;
    expect([numbers(1), numbers(2)]).toEqual([[], [0]]);
  });
});

describe('a ready pull request passes', () => {
  const shared = [on(1, a), on(2, a)];
  test.each<[string, Situation, readonly number[], readonly number[]]>([
    ['one that may be passed', { waiting: shared, line: [green([2])] }, [1], [0]],
    ['none that lands together with it', { waiting: shared, line: [green([1]), green([2], [1])] }, [0, 1], []],
    ['none that lands by another build', { waiting: shared, line: [green([1]), green([2])] }, [0], []],
    [
      'one, which then lands no longer in the same set',
      { waiting: [on(1, a), on(2, a), on(3, a)], line: [green([2]), green([3], [1])] },
      [1],
      [0],
    ],
  ])('%s', (_name, from, indices, passed) => {
    const set = findPassingSet(
      graphOf(from),
      () => true,
      (index) => index === 0,
    );
    expect([set.indices, [...set.passed]]).toEqual([indices, passed]);
  });
});

describe('the pull request that lands without validation', () => {
  const skipping = (number: number, targets: readonly string[], change: Partial<PullRequestState> = {}) =>
    on(number, targets, { skipValidation: true, ...change });
  test.each<[string, readonly PullRequestState[], number | null]>([
    ['is the first that skips validation', [on(1, a), skipping(2, b), skipping(3, ['c'])], 1],
    ['is none behind one that it overlaps', [on(1, a), skipping(2, a)], null],
    ['is none that conflicts with the tip', [skipping(1, a, { conflict: { parent: 'tip', after: [] } })], null],
    ['is none without skipped validation', [on(1, a)], null],
  ])('%s', (_name, waiting, index) => expect(findUnvalidatedPullRequest(graphOf({ waiting }))).toBe(index));
});
