// Whose branch the head of a pull request is. A fork has branches of its own: its `main` is not the `main` of this
// repository, and nothing of the queue reads, moves or deletes it.

export interface PullRequestHead {
  readonly headBranch: string;
  /** `owner/name` of the fork that has the branch. Null: this repository has it. */
  readonly headFork?: string | null | undefined;
}

/** The branch of this repository that the pull request merges. Null: the branch is a fork's. */
export function ownHeadBranch({ headBranch, headFork }: PullRequestHead): string | null {
  return isNamed(headFork) ? null : headBranch;
}

/** Whether a push to this branch of the repository changes the pull request. */
export function isHeadBranch(head: PullRequestHead, branch: string): boolean {
  return ownHeadBranch(head) === branch;
}

/** Why the queue does not move the branch. Null: it may. */
export function decideBranchRefusal({ headBranch, headFork }: PullRequestHead): string | null {
  return isNamed(headFork) ? `${headBranch} is a branch of the fork ${headFork}, which only its owners move` : null;
}

function isNamed(fork: string | null | undefined): fork is string {
  return fork !== null && fork !== undefined;
}
