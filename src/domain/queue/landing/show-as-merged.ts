// Heads that a landing moves so that the host shows its pull requests as merged. GitHub calls a pull request merged
// when its head is reachable from its base, and the head of a squashed or rebased one is not: so its branch is pushed
// to the commit that it lands as, before the base moves (docs/adr/0018).
import type { MergeStrategy } from '../model/rules.ts';

export interface LandingHead {
  readonly number: number;
  /** The branch of this repository that has the head. Null: a fork has it. */
  readonly branch: string | null;
  /** The base branch of the pull request at the host. In a stack it is the branch of another pull request. */
  readonly baseBranch: string;
  readonly pinnedHead: string;
  /** Null: not known. */
  readonly ownCommit: string | null;
  readonly strategy: MergeStrategy;
  /** The queue manages the branch as a base branch. */
  readonly isManaged: boolean;
  /** Another open pull request has the same head branch. */
  readonly isShared: boolean;
}

export interface HeadMove {
  readonly number: number;
  readonly branch: string;
  /** The head that was tested. */
  readonly from: string;
  /** The commit that it lands as. */
  readonly to: string;
}

export interface HeadMoveFacts {
  readonly baseBranch: string;
  /** The commit that the landing expects the base at. */
  readonly parentCommit: string;
  /** The present tip of the base branch. Null: the branch is gone. */
  readonly baseTip: string | null;
  readonly members: readonly LandingHead[];
}

/** Which heads are moved before the base, and where to. None where the base has moved: the landing will be given up. */
export function decideHeadMoves({ baseBranch, parentCommit, baseTip, members }: HeadMoveFacts): readonly HeadMove[] {
  if (baseTip !== parentCommit) return [];
  return members.flatMap(({ number, branch, pinnedHead, ownCommit, ...member }) => {
    // A merge commit has the head as its parent: GitHub shows it as merged without this.
    if (branch === null || ownCommit === null || ownCommit === pinnedHead || member.strategy === 'merge') return [];
    // A head that becomes an ancestor of its base is merged there for good, and of a stack that lands as one commit the
    // upper heads would: pull requests that go to another branch stay where they are.
    if (member.baseBranch !== baseBranch || member.isManaged || member.isShared) return [];
    return [{ number, branch, from: pinnedHead, to: ownCommit }];
  });
}
