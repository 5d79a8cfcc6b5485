import { fc } from '../../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { arrangeLine, inLineOrder } from '../../../src/domain/queue/model/order.ts';
import type { BisectionPhase, PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { parallel, pr, serial, situation, type BatchSpec } from './situation.ts';

const placed = fc.record({ skipLine: fc.boolean(), rank: fc.nat(20), number: fc.nat(1000) });

test('pull requests that skip the line go first, in their own order, and then the others by rank', () => {
  const line = [
    { number: 1, rank: 1, skipLine: false },
    { number: 2, rank: 5, skipLine: true },
    { number: 3, rank: 2, skipLine: false },
    { number: 4, rank: 4, skipLine: true },
  ];
  expect(inLineOrder(line).map((pullRequest) => pullRequest.number)).toEqual([4, 2, 1, 3]);
});

test('the order does not depend on the order of the input', () => {
  fc.assert(
    fc.property(fc.uniqueArray(placed, { selector: (pullRequest) => pullRequest.number }), (line) => {
      expect(inLineOrder(line.toReversed())).toEqual(inLineOrder(line));
    }),
  );
});

describe('a pull request that a bisection took out of its place', () => {
  const taken = (number: number, phase: BisectionPhase, change: Partial<PullRequestState> = {}): PullRequestState =>
    pr(number, { bisection: { group: 'g', max: 2, attempts: 1, phase }, ...change });
  const back = (...numbers: readonly number[]): PullRequestState[] =>
    numbers.map((number) => taken(number, 'returned'));
  const built = (...of: readonly number[]): BatchSpec => ({ of, build: 'pending' });

  interface Row {
    readonly line?: readonly BatchSpec[];
    readonly waiting: readonly PullRequestState[];
    readonly rules?: Parameters<typeof arrangeLine>[1]['rules'];
    readonly suspended?: readonly number[];
  }
  const beside: BatchSpec = { ...built(1, 2), change: { sideBuild: 'part' } };
  test.each<[string, Row, readonly number[]]>([
    ['does not exist: the ranks decide', { waiting: [pr(2), pr(1)] }, [1, 2]],
    [
      'is behind the running builds, and before those that wait',
      { line: [built(5)], waiting: [...back(1, 2), pr(6)] },
      [5, 1, 2, 6],
    ],
    ['is behind all running builds', { line: [built(3), built(5)], waiting: back(1) }, [3, 5, 1]],
    ['is where its batch is', { line: [built(5), built(1, 2)], waiting: [...back(1, 2), pr(6)] }, [5, 1, 2, 6]],
    ['is behind one that was before the running builds', { line: [built(5)], waiting: [...back(1), pr(3)] }, [3, 5, 1]],
    [
      'is not in line while it is built beside the line',
      { line: [beside], waiting: [taken(1, 'side_build'), taken(2, 'side_build'), pr(3)] },
      [3],
    ],
    [
      'is not in line while it is built beside the line, although it returned',
      { line: [beside], waiting: [...back(1, 2), pr(3)] },
      [3],
    ],
    ['is not in line before it is built beside the line', { waiting: [taken(1, 'side_build'), pr(3)] }, [3]],
    [
      'is in line if nothing is built beside the line any more',
      { waiting: [taken(1, 'side_build'), pr(3)], rules: parallel },
      [1, 3],
    ],
    ['keeps its place if the bisection is in line', { line: [built(5)], waiting: [taken(1, 'in_place')] }, [1, 5]],
    ['keeps its place in serial mode', { line: [built(5)], waiting: back(1), rules: serial }, [1, 5]],
    ...[{ stack: 'p1' }, { skipLine: true }, { skipValidation: true }, { isBarrier: true }].map(
      (change): [string, Row, readonly number[]] => [
        `keeps its place with ${JSON.stringify(change)}`,
        { line: [built(5)], waiting: [taken(1, 'returned', change)] },
        [1, 5],
      ],
    ),
    [
      'keeps its place by rank while it is suspended',
      { line: [built(5)], waiting: [...back(2), pr(6)], suspended: [2] },
      [2, 5, 6],
    ],
    [
      'keeps its place between others while it is suspended',
      { line: [built(5)], waiting: [...back(6), pr(7)], suspended: [6] },
      [5, 6, 7],
    ],
    [
      'keeps the last place while it is suspended',
      { line: [built(5)], waiting: [...back(9), pr(6)], suspended: [9] },
      [5, 6, 9],
    ],
  ])('%s', (_name, { line = [], waiting, rules, suspended = [] }, expected) => {
    const { batches, pullRequests } = situation({ line, waiting });
    const arranged = arrangeLine(pullRequests, {
      rules: rules ?? { ...parallel, useParallelBisection: true },
      batches: batches.filter(({ sideBuild }) => sideBuild === null),
      sideBuilds: batches.filter(({ sideBuild }) => sideBuild !== null),
      isSuspended: ({ number }) => suspended.includes(number),
    });
    expect(arranged.map(({ number }) => number)).toEqual(expected);
  });
});
