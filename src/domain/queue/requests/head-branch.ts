// Whether the head branch of a pull request belongs to this repository or to a fork. The `main` of a fork is not the
// `main` of this repository. The queue never reads, moves or deletes branches of forks.

export interface PullRequestHead {
  readonly headBranch: string;
  /** `owner/name` of the fork that the branch belongs to. Null: it belongs to this repository. */
  readonly headFork?: string | null | undefined;
}

/** The head branch if it belongs to this repository. Null: it belongs to a fork. */
export function ownHeadBranch({ headBranch, headFork }: PullRequestHead): string | null {
  return isFork(headFork) ? null : headBranch;
}

/** Whether a push to this branch of the repository changes the pull request. */
export function isHeadBranch(head: PullRequestHead, branch: string): boolean {
  return ownHeadBranch(head) === branch;
}

/** Why the queue must not move the head branch. Null: the queue may move it. */
export function decideBranchRefusal({ headBranch, headFork }: PullRequestHead): string | null {
  return isFork(headFork) ? `${headBranch} is a branch of the fork ${headFork}, which only its owners move` : null;
}

function isFork(fork: string | null | undefined): fork is string {
  return fork !== null && fork !== undefined;
}
