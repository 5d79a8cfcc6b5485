import { fc } from '../../support/properties.ts';
import { describe, expect, it, test } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import {
  deepestStack,
  findSharedCommits,
  findLandedTogether,
  findStack,
  isLeftOut,
  waitsForBelow,
  withStacks,
  type StackCandidate,
} from '../../../src/domain/queue/requests/stacks.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { now, planned, pr, situation, type Situation } from './situation.ts';
import { holdPullRequestsAbove } from '../../../src/domain/queue/planning/departures.ts';

const open = (number: number, headBranch: string, baseBranch: string): StackCandidate => ({
  number,
  headBranch,
  baseBranch,
  state: 'open',
  openedAt: 0,
  mergedAt: null,
});
const merged = (number: number, headBranch: string, baseBranch: string, mergedAt: number): StackCandidate => ({
  ...open(number, headBranch, baseBranch),
  state: 'merged',
  mergedAt,
});
const isManaged = (branch: string): boolean => branch === 'main' || branch === 'release';

describe('the pull requests below a pull request 9 from "top"', () => {
  const openedAt = 1_000;
  const chain = (length: number): StackCandidate[] =>
    Array.from({ length }, (_, at) => open(100 + at, `c${at}`, at === length - 1 ? 'main' : `c${at + 1}`));
  const cases: readonly (readonly [
    name: string,
    base: string,
    candidates: readonly StackCandidate[],
    found: readonly [base: string, ...below: number[]] | null,
  ])[] = [
    ['are none, with a managed base branch', 'main', [open(1, 'main', 'release')], null],
    ['are none, if its base branch is the head of no pull request', 'a', [open(1, 'b', 'main')], null],
    ['one', 'a', [open(1, 'a', 'main')], ['main', 1]],
    ['are several, the nearest first', 'b', [open(1, 'a', 'release'), open(2, 'b', 'a')], ['release', 2, 1]],
    ['are none, if the chain ends in a branch that is not managed', 'b', [open(2, 'b', 'a')], null],
    ['are none in a ring with itself', 'a', [open(1, 'a', 'top'), open(9, 'top', 'a')], null],
    ['are none above a ring', 'a', [open(1, 'a', 'b'), open(2, 'b', 'a')], null],
    [
      'are the older of two with the same head branch',
      'a',
      [open(2, 'a', 'release'), open(1, 'a', 'main')],
      ['main', 1],
    ],
    ['are those that lead to a managed branch', 'a', [open(1, 'a', 'x'), open(2, 'a', 'main')], ['main', 2]],
    ['are one that was merged after it was opened', 'a', [merged(1, 'a', 'main', openedAt + 1)], ['main', 1]],
    [
      'are one that was merged at the instant at which it was opened',
      'a',
      [merged(1, 'a', 'main', openedAt)],
      ['main', 1],
    ],
    [
      'are the open one of the branch, in whatever order they are read',
      'a',
      [open(2, 'a', 'main'), merged(1, 'a', 'main', 2_000)],
      ['main', 2],
    ],
    [
      'are one that was opened before the one below it was merged',
      'b',
      [merged(1, 'a', 'main', openedAt - 1), { ...open(2, 'b', 'a'), openedAt: openedAt - 2 }],
      ['main', 2, 1],
    ],
    [
      'are none, if the one below was opened after a pull request from its base branch was merged',
      'b',
      [merged(1, 'a', 'main', openedAt - 2), { ...open(2, 'b', 'a'), openedAt: openedAt - 1 }],
      null,
    ],
    ['are not itself', 'a', [open(9, 'a', 'main')], null],
    ['are none that leads through its own branch', 'a', [open(1, 'a', 'top'), open(8, 'top', 'main')], null],
    ['are none that was merged before it was opened', 'a', [merged(1, 'a', 'main', openedAt - 1)], null],
    [
      'are the open one of the branch, not the merged one',
      'a',
      [merged(1, 'a', 'main', 2_000), open(2, 'a', 'main')],
      ['main', 2],
    ],
    ['are at most the limit', 'c0', chain(deepestStack), ['main', ...chain(deepestStack).map(({ number }) => number)]],
    ['are none above the limit', 'c0', chain(deepestStack + 1), null],
  ];
  test.each(cases)('%s', (_name, baseBranch, candidates, found) => {
    const stack = findStack({ number: 9, headBranch: 'top', baseBranch, openedAt }, candidates, isManaged);
    expect(stack && [stack.baseBranch, ...stack.below.map(({ number }) => number)]).toEqual(found);
  });
});

it('the pull requests below one from a fork may be from a branch of the same name', () => {
  const fork = { number: 9, headBranch: null, baseBranch: 'a', openedAt: 1_000 };
  const stack = findStack(fork, [open(1, 'a', 'top'), open(8, 'top', 'main')], isManaged);
  expect(stack?.below.map(({ number }) => number)).toEqual([1, 8]);
});

it.each([
  ['open', 'It is stacked on #3, which nobody has asked to merge.'],
  ['pending', 'It is stacked on #3, which is not in line yet.'],
  ['queued', 'It is stacked on #3, which is not before it in line.'],
  ['tagged', 'It is stacked on #3, which is not before it in line.'],
  ['blocked', 'It is stacked on #3, which is blocked.'],
  ['merged', 'It is stacked on #3, which is merged.'],
  ['closed', 'It is stacked on #3, which is closed.'],
] as const)('a pull request says of the %s one below it: %s', (status, sentence) => {
  expect(waitsForBelow({ number: 3, status })).toBe(sentence);
});

it.each([
  { head: 'pinned', isOut: false },
  { head: 'own', isOut: false },
  { head: 'later', isOut: true },
])('a landing has left out commits of the head $head: $isOut', ({ head, isOut }) => {
  expect(isLeftOut(head, { pinned: 'pinned', own: 'own' })).toBe(isOut);
});

describe('the line', () => {
  const on = (number: number, below: number, change = {}) => pr(number, { below: `p${below}`, stack: 's', ...change });
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    [
      'is left by a pull request stacked on one outside of it, and by the one stacked on that',
      { waiting: [on(2, 1), on(3, 2), pr(4)] },
      ['pend p2 below p1', 'pend p3 below p2', 'start new p4 on tip'],
    ],
    [
      'is left by a pull request stacked on a later one',
      { waiting: [on(2, 1, { rank: 1 }), pr(1, { rank: 2 })] },
      ['pend p2 below p1', 'start new p1 on tip'],
    ],
    [
      'is left together with the one below that is blocked in the same turn',
      { waiting: [pr(1, { stack: 's', ownVerdict: 'red', ownFailedChecks: ['own'] }), on(2, 1)] },
      ['block p1 107', 'pend p2 below p1'],
    ],
    [
      'builds nothing on a pull request that waits because of a conflict',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [pr(2, { stack: 's', conflict: { parent: 'commit of b1', after: [] } }), on(3, 2), pr(4)],
      },
      ['start new p4 on b1'],
    ],
    [
      'does not reorder for a pull request on top of one whose conflict is tried again',
      {
        line: [
          { of: [2], build: 'making', change: { position: 10 } },
          { of: [4], build: 'pending', change: { position: 20, parentBatch: null, parentCommit: 'tip' } },
        ],
        waiting: [
          pr(2, { stack: 's', conflict: { parent: 'root', after: [] } }),
          on(3, 2),
          pr(4, { status: 'tagged' }),
        ],
        queue: { lineage: ['tip', 'root'] },
      },
      [],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  it('never has a pull request before one below it, and none is built without it', () => {
    const someone = fc.record({ below: fc.option(fc.nat(7)), rank: fc.nat(20), skipLine: fc.boolean() });
    fc.assert(
      fc.property(fc.array(someone, { maxLength: 8 }), fc.nat(3), (people, batchSize) => {
        const inLine = people.map(({ below, ...change }, number) =>
          // Only upwards: a pull request is stacked on an earlier one, wherever both are now.
          pr(number, { ...change, below: below === null || below >= number ? null : `p${below}` }),
        );
        const snapshot = situation({ waiting: withStacks(inLine), rules: { batchSize: batchSize + 1 } });
        const left = holdPullRequestsAbove(viewLine(snapshot, now)).view.inOrder.map(({ id }) => id);
        const belowOf = new Map(snapshot.pullRequests.map(({ id, below }) => [id, below]));
        const stands = (order: readonly string[]): boolean =>
          order.every((id, place) => {
            const below = belowOf.get(id) ?? null;
            return below === null || order.indexOf(below) === -1 ? below === null : order.indexOf(below) < place;
          });
        expect(stands(left)).toBe(true);
        const decisions = plan(snapshot, now);
        for (const decision of decisions)
          if (decision.kind === 'StartBatch')
            expect(stands(decision.members.map(({ pullRequest }) => pullRequest))).toBe(true);
        expect(decisions.flatMap((each) => (each.kind === 'PendPullRequest' ? [each.pullRequest] : [])).length).toBe(
          snapshot.pullRequests.length - left.length,
        );
      }),
    );
  });

  it('lets a stacked pull request skip the line only if all pull requests below it do', () => {
    const inLine = [pr(1), pr(2, { below: 'p1', skipLine: true }), pr(3, { below: 'p2' }), pr(4)];
    expect(withStacks(inLine).map(({ stack, skipLine }) => [stack, skipLine])).toEqual([
      ['p1', false],
      ['p1', false],
      ['p1', false],
      [null, false],
    ]);
    const all = inLine.map((each) => ({ ...each, skipLine: true }));
    expect(withStacks(all).map(({ skipLine }) => skipLine)).toEqual([true, true, true, true]);
  });
});

describe('commits of a stack', () => {
  const of = (id: string, below: string | null, strategy: 'squash' | 'merge' | 'rebase' = 'squash') => ({
    id,
    below,
    strategy,
  });
  test.each([
    ['are one commit, by squash', [of('a', null), of('b', 'a'), of('c', 'b')], [true, true, false]],
    [
      'are one for each pull request with another strategy',
      [of('a', null), of('b', 'a', 'merge'), of('c', 'b')],
      [false, false, false],
    ],
    [
      'are not shared with neighbours that are stacked on something else',
      [of('a', null), of('b', null), of('c', 'a')],
      [false, false, false],
    ],
  ])('%s', (_name, members, joined) => {
    expect(findSharedCommits(members, { useSeparateCommits: false })).toEqual(joined);
    expect(findSharedCommits(members, { useSeparateCommits: true })).toEqual(joined.map(() => false));
  });
});

describe('pull requests of a stack that land together', () => {
  const member = (pinnedHead: string, belowHead: string | null) => ({ pinnedHead, belowHead });
  test.each([
    ['are all of one stack', [member('a', null), member('b', 'a'), member('c', 'b')], ['a', 'b', 'c']],
    ['are none, if the one below landed before', [member('b', 'a'), member('x', null)], []],
    [
      'are those of several stacks, and no neighbours',
      [member('a', null), member('x', null), member('b', 'a')],
      ['a', 'b'],
    ],
  ])('%s', (_name, members, together) => {
    expect(findLandedTogether(members).map(({ pinnedHead }) => pinnedHead)).toEqual(together);
  });
});
