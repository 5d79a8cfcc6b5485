// Decides which head branches a landing moves so that the host shows its pull requests as merged. GitHub shows a pull
// request as merged when its head is reachable from its base. The head of a squashed or rebased pull request is not
// reachable. So the head branch is moved to the commit that the pull request lands as, before the base branch moves
// (docs/adr/0018).
import type { MergeStrategy } from '../model/rules.ts';

export interface LandingHead {
  readonly number: number;
  /** The head branch. Null: the branch is in a fork. */
  readonly branch: string | null;
  /** The base branch of the pull request at the host. In a stack it is the branch of another pull request. */
  readonly baseBranch: string;
  readonly pinnedHead: string;
  /** Null: not known. */
  readonly ownCommit: string | null;
  readonly strategy: MergeStrategy;
  /** Whether the head branch is also a base branch of a queue. */
  readonly isManaged: boolean;
  /** Whether another open pull request has the same head branch. */
  readonly isShared: boolean;
}

export interface HeadMove {
  readonly number: number;
  readonly branch: string;
  /** The head that was tested. */
  readonly from: string;
  /** The commit that the pull request lands as. */
  readonly to: string;
}

export interface HeadMoveFacts {
  readonly baseBranch: string;
  /** The commit that the landing expects as the tip of the base branch. */
  readonly parentCommit: string;
  /** The present tip of the base branch. Null: the branch does not exist. */
  readonly baseTip: string | null;
  readonly members: readonly LandingHead[];
}

/**
 * Decides which head branches are moved before the base branch. Moves none if the base branch has moved in the
 * meantime, because then the landing will be given up.
 */
export function decideHeadMoves({ baseBranch, parentCommit, baseTip, members }: HeadMoveFacts): readonly HeadMove[] {
  if (baseTip !== parentCommit) return [];
  return members.flatMap(({ number, branch, pinnedHead, ownCommit, ...member }) => {
    // With the strategy `merge` the head is a parent of the landing commit, so GitHub shows the pull request as merged
    // anyway.
    if (branch === null || ownCommit === null || ownCommit === pinnedHead || member.strategy === 'merge') return [];
    // GitHub marks a pull request as merged for good when its head becomes an ancestor of its base. In a stack that
    // lands as one commit, this would happen to the upper pull requests. So the heads of pull requests with another
    // base branch do not move.
    if (member.baseBranch !== baseBranch || member.isManaged || member.isShared) return [];
    return [{ number, branch, from: pinnedHead, to: ownCommit }];
  });
}
