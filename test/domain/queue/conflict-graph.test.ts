// Which earlier pull requests and landed changes a pull request overlaps.
import { describe, expect, test } from 'vitest';
import { overlapsOf, type LandedChange } from '../../../src/domain/queue/speculation/conflict-graph.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import type { PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { now, pr, situation } from './situation.ts';

const [a, b, c] = [['a'], ['b'], ['c']];
const rules = { speculation: 'adaptive', useAffectedTargets: true } as const;

function graphOf(waiting: readonly PullRequestState[], landed: readonly LandedChange[] = []) {
  return overlapsOf(viewLine(situation({ waiting, rules }), now), landed);
}

const on = (number: number, targets: readonly string[], below: number | null = null, rank = number) =>
  pr(number, { targets, rank, below: below === null ? null : `p${below}` });
const change = (number: number, targets: readonly string[], commit: string): LandedChange => ({
  pullRequest: `l${number}`,
  head: `hl${number}`,
  targets,
  commit,
});

describe('before a pull request are', () => {
  test.each<[string, readonly PullRequestState[], readonly number[]]>([
    ['none that are disjoint', [on(1, a), on(2, b), on(3, c)], []],
    ['those that it overlaps, in order', [on(1, c), on(2, c), on(3, c)], [0, 1]],
    ['the one that it is stacked on, although it is disjoint', [on(1, a), on(2, b), on(3, c, 1)], [0]],
    ['the one that it is stacked on, in its place', [on(1, a), on(2, c), on(3, c, 1)], [0, 1]],
    ['the one that it is stacked on, once', [on(1, c), on(2, b), on(3, c, 1)], [0]],
    ['none that has left the line', [on(1, a), on(2, b), on(3, c, 9)], []],
  ])('%s', (_name, waiting, before) => {
    const landed = [change(1, a, 'x'), change(2, c, 'y')];
    for (const graph of [graphOf(waiting), graphOf(waiting, landed)]) {
      expect(graph.before(2)).toEqual(before);
      expect(graph.isFirst(2)).toBe(before.length === 0);
      expect(graph.between(1, 2)).toEqual(before.filter((index) => index >= 1));
      expect(graph.between(0, 2)).toEqual(before);
    }
  });

  test('none that is behind it, although it is stacked on it', () => {
    const graph = graphOf([on(3, c, 1, 1), on(1, a, null, 2)]);
    expect([graph.before(0), graph.isFirst(0)]).toEqual([[], true]);
  });
});

test('a product over those before it leaves out what has landed', () => {
  const graph = graphOf([on(1, a), on(2, a), on(3, a)], [change(1, a, 'x')]);
  expect([...graph.productsBefore(Float64Array.from([0.5, 0.4, 0.3]))]).toEqual([1, 0.5, 0.2]);
});

describe('of the landed changes', () => {
  const landed = [change(1, a, 'x'), change(2, b, 'y'), change(3, a, 'y'), change(4, b, 'y'), change(5, b, 'z')];
  test('a pull request overlaps those with its targets', () => {
    const graph = graphOf([on(1, b), on(2, ['a', 'b'])], landed);
    expect([graph.landedOverlaps(0), graph.landedOverlaps(1)]).toEqual([
      [1, 3, 4],
      [0, 1, 2, 3, 4],
    ]);
  });

  test('each overlaps those that landed before it or together with it', () => {
    const graph = graphOf([], landed);
    expect(landed.map((_, index) => graph.landedWith(index))).toEqual([[], [3], [0], [1], [1, 3]]);
  });
});
