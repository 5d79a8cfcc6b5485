// Pull requests of a host, with their labels, reviews and comments.
import type { GitHubPermission } from '../../domain/accounts/github-people.ts';
import type { MergeStrategy } from '../../domain/queue/model/rules.ts';
import type { HostRepository } from './repository.ts';

/** A person's permission in a repository, with GitHub's names. */
export type HostPermission = GitHubPermission;

export interface HostPullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** Handle of the author. */
  readonly author: string;
  readonly headBranch: string;
  /** The fork that has the head branch. Null: the head branch is in the repository itself. */
  readonly headFork: { readonly owner: string; readonly name: string } | null;
  readonly baseBranch: string;
  /** The head commit. For a closed or merged pull request, the head commit at the time of closing or merging. */
  readonly headSha: string;
  /**
   * The tip of the head branch in git. The host's record of the head (`headSha`) may be older than the branch, in the
   * worst case by hours. While `headSha` and `headTip` differ, the pull request is neither admitted nor landed. Null:
   * the pull request is not open, the branch is deleted, or the host cannot read it, for example because it is in a
   * fork.
   */
  readonly headTip: string | null;
  /** The tip of the base branch in git. Null: the pull request is not open, or the branch is deleted. */
  readonly baseTip: string | null;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** How many people approved the pull request. Its authors are not counted. */
  readonly approvals: number;
  readonly changesRequested: boolean;
  readonly unresolvedConversations: number;
  /** Whether the host requires the review of a code owner, and the review is missing. */
  readonly ownerReviewMissing: boolean;
  /** Whether the host's own rules for the base branch require a review that is missing. */
  readonly requiredReviewMissing: boolean;
  readonly createdAt: number;
  /** When it was opened, or last reopened. */
  readonly lastOpenedAt: number;
  /** When its base branch last changed, in milliseconds since the epoch. Null: it never changed, as far as the host says. */
  readonly baseChangedAt: number | null;
  readonly mergedAt: number | null;
  readonly mergeCommitSha: string | null;
  readonly url: string;
}

export interface LabelPresence {
  readonly label: string;
  readonly present: boolean;
  /** The handle of the person in whose name the label changes. Left out: in the name of the queue. */
  readonly by?: string | undefined;
}

/** The newest change of a label. */
export interface LabelChange {
  readonly present: boolean;
  readonly byQueue: boolean;
  /** The handle of the person. Null: the queue made the change, or the host does not say who did. */
  readonly by: string | null;
  /**
   * The host's id of the person, which is never given to another person. Null: the host has no such id, or no person
   * made the change.
   */
  readonly byId: string | null;
  readonly at: number;
}

export interface HostComment {
  readonly id: string;
  readonly number: number;
  readonly author: string;
  /**
   * The host's id of the author, which is never given to another person. Null: the host has no such id, or the author
   * is not a person.
   */
  readonly authorId: string | null;
  /** Whether the author has write permission. A person may comment without it. */
  readonly mayWrite: boolean;
  readonly body: string;
  readonly at: number;
}

export interface ReviewThread {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  readonly openedAt: number;
  /** Null: the thread is unresolved. */
  readonly resolvedAt: number | null;
}

export interface HostPullRequests {
  /**
   * `isForLanding`: a batch or its landing cannot go on without this read. A host with a rate limit keeps a part of the
   * limit for such reads.
   */
  getPullRequest(
    repository: HostRepository,
    number: number,
    options?: { readonly isForLanding: boolean },
  ): Promise<HostPullRequest | null>;
  /**
   * Called every minute for a repository with pull requests in line. A host with a rate limit may return its last
   * answer again if nothing has changed.
   */
  listOpenPullRequests(repository: HostRepository): Promise<readonly HostPullRequest[]>;
  /**
   * The open pull requests of a branch, at most one for each base branch. The oldest is first. Pull requests of forks
   * are left out.
   */
  findOpenPullRequests(repository: HostRepository, headBranch: string): Promise<readonly HostPullRequest[]>;
  /** Throws HostRefused if a branch is missing, if head and base are the same, or if there is nothing to merge. */
  openPullRequest(
    repository: HostRepository,
    input: {
      readonly title: string;
      readonly body: string;
      readonly author: string;
      readonly headBranch: string;
      readonly baseBranch: string;
      readonly draft: boolean;
      readonly labels?: readonly string[];
    },
  ): Promise<HostPullRequest>;
  /** Gives an open pull request another base branch. Idempotent. Throws HostRefused if the host does not permit it. */
  setBaseBranch(repository: HostRepository, number: number, baseBranch: string): Promise<void>;
  /** Changes nothing if the pull request is closed or merged. `isForLanding` is that of `getPullRequest`. */
  editPullRequest(
    repository: HostRepository,
    at: { readonly number: number; readonly isForLanding?: boolean },
    changes: { readonly title?: string; readonly body?: string },
  ): Promise<void>;
  /** Changes nothing if the pull request is closed or merged. Idempotent. */
  closePullRequest(repository: HostRepository, number: number): Promise<void>;
  /** Throws HostRefused if the pull request is not closed, or if one of its branches is deleted. */
  reopenPullRequest(repository: HostRepository, number: number): Promise<void>;
  /** Merges like the host's own merge button. Throws RefMoved if the head has moved. The base branch may have moved. */
  mergePullRequest(
    repository: HostRepository,
    number: number,
    merge: {
      readonly expectedHead: string;
      readonly strategy: MergeStrategy;
      readonly message: string;
      /** Nothing is merged if this ref exists when the host carries out the call. Not every host can guarantee this. */
      readonly unlessRef: string | null;
    },
  ): Promise<{ readonly commit: string }>;
  /**
   * Called after a landing. The host shows the pull request as merged. GitHub cannot do so if the head commit is not
   * reachable from the base branch. It then closes the pull request with `comment` as the last comment. Idempotent: a
   * merged pull request stays as it is, and the comment is written once. Throws HostRefused also if only the comment was
   * refused: the pull request is closed then.
   */
  concludePullRequest(
    repository: HostRepository,
    number: number,
    landing: { readonly mergeCommit: string; readonly at: number; readonly comment: string },
  ): Promise<void>;
  /**
   * Adds authors of a branch, by handle or email address. The person who opened the pull request is an author anyway.
   * Authors cannot approve the pull request, and their earlier approvals do not count any more. Idempotent.
   */
  addBranchAuthors(repository: HostRepository, branch: string, names: readonly string[]): Promise<void>;
  /** Adds the author of the pull request `from`, and the authors of its branch, as authors of `branch`. */
  addAuthorsOf(repository: HostRepository, from: number, branch: string): Promise<void>;
  /**
   * The commits of a pull request as the host lists them, the oldest first. The commits of a merged pull request stay
   * listed. Null: the host does not list all the commits, or lists none.
   */
  listCommitsOf(repository: HostRepository, number: number): Promise<readonly string[] | null>;
  /**
   * Counts the commits without a signature that the host has verified, among the commits that are reachable from the
   * head but not from the base. `isForLanding` is that of `getPullRequest`.
   */
  countUnverifiedCommits(
    repository: HostRepository,
    range: { readonly head: string; readonly base: string; readonly isForLanding?: boolean },
  ): Promise<number>;
  /** Adds or removes a label. Idempotent. */
  setLabel(repository: HostRepository, number: number, change: LabelPresence): Promise<void>;
  /** The newest change of a label. Null: the host has no record of a change. `isForLanding` is that of `getPullRequest`. */
  readLabelChange(
    repository: HostRepository,
    number: number,
    label: string,
    options?: { readonly isForLanding: boolean },
  ): Promise<LabelChange | null>;
  /**
   * A person's permission in the repository. It may be up to five minutes old. If `id` is not null, the person with
   * this id must still have the handle. Null: the person has no permission, or no person has the handle. `isForLanding`
   * is that of `getPullRequest`.
   */
  readPermission(
    repository: HostRepository,
    person: { readonly login: string; readonly id: string | null; readonly isForLanding?: boolean },
  ): Promise<HostPermission | null>;
  /**
   * Some of the comments of people after `cursor` and after the instant `since`, the oldest first. `hasMore` says whether
   * the host may have others after the new cursor. Only a comment that was edited before it was read may come later than
   * a newer comment.
   */
  listCommentsAfter(
    repository: HostRepository,
    after: { readonly cursor: string | null; readonly since: number },
  ): Promise<{ readonly comments: readonly HostComment[]; readonly cursor: string; readonly hasMore: boolean }>;
  /** All comments on a pull request, oldest first. */
  listComments(
    repository: HostRepository,
    number: number,
  ): Promise<
    readonly {
      readonly author: string;
      readonly body: string;
      readonly createdAt: number;
      readonly editedAt: number | null;
    }[]
  >;
  /**
   * Writes the comment with this `key` the first time, and edits it afterwards. A text with a higher `version` is not
   * replaced, so that a delayed write does not restore an old text.
   */
  upsertComment(
    repository: HostRepository,
    number: number,
    comment: { readonly key: string; readonly body: string; readonly version?: number },
  ): Promise<void>;
  listThreads(repository: HostRepository, number: number): Promise<readonly ReviewThread[]>;
}
