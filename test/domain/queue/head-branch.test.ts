import { describe, expect, it } from 'vitest';
import { decideBranchRefusal, isHeadBranch, ownHeadBranch } from '../../../src/domain/queue/requests/head-branch.ts';

describe('the head branch of a pull request', () => {
  it.each([
    { headBranch: 'topic', headFork: null, own: 'topic', isMain: false, refusal: null },
    { headBranch: 'main', headFork: null, own: 'main', isMain: true, refusal: null },
    { headBranch: 'topic', headFork: undefined, own: 'topic', isMain: false, refusal: null },
    { headBranch: 'main', headFork: 'grace/web', own: null, isMain: false, refusal: 'only its owners move' },
    { headBranch: 'mq-bot-1', headFork: 'grace/web', own: null, isMain: false, refusal: 'only its owners move' },
  ])('$headBranch of the fork $headFork is the branch $own of this repository', ({ own, isMain, refusal, ...head }) => {
    expect(ownHeadBranch(head)).toBe(own);
    expect(isHeadBranch(head, 'main')).toBe(isMain);
    expect(decideBranchRefusal(head)).toEqual(refusal === null ? null : expect.stringContaining(refusal));
  });
});
