// Which heads a landing moves so that GitHub shows its pull requests as merged.
import { describe, expect, it } from 'vitest';
import { decideHeadMoves, type LandingHead } from '../../../src/domain/queue/landing/show-as-merged.ts';

const one: LandingHead = {
  number: 1,
  branch: 'one',
  baseBranch: 'main',
  pinnedHead: 'head-1',
  ownCommit: 'own-1',
  strategy: 'squash',
  isManaged: false,
  isShared: false,
};
const two: LandingHead = { ...one, number: 2, branch: 'two', pinnedHead: 'head-2', ownCommit: 'own-2' };
const landing = { baseBranch: 'main', parentCommit: 'base', baseTip: 'base' };
const moved = { number: 1, branch: 'one', from: 'head-1', to: 'own-1' };

describe('heads are moved before the base', () => {
  it.each([
    { name: 'a squashed pull request', changes: {} },
    { name: 'a rebased pull request', changes: { strategy: 'rebase' } },
  ] as const)('$name', ({ changes }) => {
    expect(decideHeadMoves({ ...landing, members: [{ ...one, ...changes }] })).toEqual([moved]);
  });

  it('all of a batch, in their order', () => {
    const moves = decideHeadMoves({ ...landing, members: [two, one] });
    expect(moves.map(({ branch, from, to }) => [branch, from, to])).toEqual([
      ['two', 'head-2', 'own-2'],
      ['one', 'head-1', 'own-1'],
    ]);
  });
});

describe('a head is not moved', () => {
  it.each([
    ['of a fork', { branch: null }],
    ['with an unknown own commit', { ownCommit: null }],
    ['that lands unchanged', { ownCommit: 'head-1' }],
    ['that is a parent of the merge commit', { strategy: 'merge' }],
    ['of a pull request that is stacked on another', { baseBranch: 'two' }],
    ['that is a base branch of the queue', { isManaged: true }],
    ['that other pull requests have too', { isShared: true }],
  ] as const)('%s', (_name, changes) => {
    const moves = decideHeadMoves({ ...landing, members: [{ ...one, ...changes }, two] });
    expect(moves.map(({ number }) => number)).toEqual([2]);
  });

  it.each([['elsewhere'], [null]])('if the base is at %s, because the landing will be given up', (baseTip) => {
    expect(decideHeadMoves({ ...landing, baseTip, members: [one, two] })).toEqual([]);
  });
});
