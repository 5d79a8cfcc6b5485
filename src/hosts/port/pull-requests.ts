// What a host does with pull requests, their labels, reviews and comments.
import type { GitHubPermission } from '../../domain/accounts/github-people.ts';
import type { MergeStrategy } from '../../domain/queue/model/rules.ts';
import type { HostRepository } from './repository.ts';

/** What a person may do in a repository, in the words of GitHub. */
export type HostPermission = GitHubPermission;

export interface HostPullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** Handle of the author. */
  readonly author: string;
  readonly headBranch: string;
  /** The fork that has the head branch. Null: the repository itself has it. */
  readonly headFork: { readonly owner: string; readonly name: string } | null;
  readonly baseBranch: string;
  /** The head commit. A closed or merged pull request keeps the head that it had at that time. */
  readonly headSha: string;
  /**
   * Tip of the head branch, as git has it. The host's record of the head (`headSha`) may be older than the branch, for
   * hours at worst. While the two differ, the pull request is neither admitted nor landed. Null: the pull request is
   * not open, the branch is gone, or the host cannot tell, such as for a branch of a fork.
   */
  readonly headTip: string | null;
  /** Tip of the base branch, as git has it. Null: the pull request is not open, or the branch is gone. */
  readonly baseTip: string | null;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** How many people approved it, its authors not counted. */
  readonly approvals: number;
  readonly changesRequested: boolean;
  readonly unresolvedConversations: number;
  /** Whether the host demands the review of a code owner, and the review is missing. */
  readonly ownerReviewMissing: boolean;
  /** Whether the host's own rules for the base branch demand a review that is missing. */
  readonly requiredReviewMissing: boolean;
  readonly createdAt: number;
  readonly mergedAt: number | null;
  readonly mergeCommitSha: string | null;
  readonly url: string;
}

/** The newest change of a label. */
export interface LabelChange {
  readonly present: boolean;
  readonly byQueue: boolean;
  /** Handle of the person; null when it was the queue, or the host does not tell. */
  readonly by: string | null;
  /** The host's id of the person, which no other person gets. Null: the host has none, or it was no person. */
  readonly byId: string | null;
  readonly at: number;
}

export interface HostComment {
  readonly id: string;
  readonly number: number;
  readonly author: string;
  /** The host's id of the author, which no other person gets. Null: the host has none, or it was no person. */
  readonly authorId: string | null;
  /** Whether its author may write to the repository. Not everybody who can comment may. */
  readonly mayWrite: boolean;
  readonly body: string;
  readonly at: number;
}

export interface ReviewThread {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  readonly openedAt: number;
  /** Null while it is unresolved. */
  readonly resolvedAt: number | null;
}

export interface HostPullRequests {
  getPullRequest(repository: HostRepository, number: number): Promise<HostPullRequest | null>;
  /**
   * Called every minute for a repository with pull requests in line. If calls of the host are limited, the answer is
   * the former one as long as nothing has changed at the host.
   */
  listOpenPullRequests(repository: HostRepository): Promise<readonly HostPullRequest[]>;
  /**
   * Open pull requests of a branch, one for each base branch, the oldest first. Pull requests of forks are not among
   * them.
   */
  findOpenPullRequests(repository: HostRepository, headBranch: string): Promise<readonly HostPullRequest[]>;
  /** Throws HostRefused when a branch is missing, head and base are the same, or there is nothing to merge. */
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
  /** A closed or merged pull request stays as it is. */
  editPullRequest(
    repository: HostRepository,
    number: number,
    changes: { readonly title?: string; readonly body?: string },
  ): Promise<void>;
  /** Idempotent: a closed or merged pull request stays as it is. */
  closePullRequest(repository: HostRepository, number: number): Promise<void>;
  /** Throws HostRefused if the pull request is not closed, or if one of its branches is gone. */
  reopenPullRequest(repository: HostRepository, number: number): Promise<void>;
  /** Merges as the host's own merge button does. Throws RefMoved if the head has moved; the base is not compared. */
  mergePullRequest(
    repository: HostRepository,
    number: number,
    merge: {
      readonly expectedHead: string;
      readonly strategy: MergeStrategy;
      readonly message: string;
      /** If this ref exists, nothing is merged, however late the call arrives. Not every host can guarantee this. */
      readonly unlessRef: string | null;
    },
  ): Promise<{ readonly commit: string }>;
  /**
   * After a landing. The host shows the pull request as merged, or closes it with `comment` as its last comment
   * (GitHub, if the head itself is not in the base). Idempotent: a merged pull request stays as it is, and the comment
   * is written once.
   */
  concludePullRequest(
    repository: HostRepository,
    number: number,
    landing: { readonly mergeCommit: string; readonly at: number; readonly comment: string },
  ): Promise<void>;
  /**
   * Adds authors of a branch, by handle or address, besides the person who opens its pull request. Authors cannot
   * approve the pull request, and their earlier approvals do not count any more. Idempotent.
   */
  addBranchAuthors(repository: HostRepository, branch: string, names: readonly string[]): Promise<void>;
  /** Adds the author of the pull request `from`, and the authors of its branch, as authors of `branch`. */
  addAuthorsOf(repository: HostRepository, from: number, branch: string): Promise<void>;
  /**
   * The commits of a pull request as the host lists them, the oldest first. A merged pull request keeps its commits.
   * Null: the host cannot tell, because it lists too few commits or none.
   */
  listCommitsOf(repository: HostRepository, number: number): Promise<readonly string[] | null>;
  /** How many commits the head has and the base lacks whose signature the host has not verified. */
  countUnverifiedCommits(
    repository: HostRepository,
    range: { readonly head: string; readonly base: string },
  ): Promise<number>;
  /** Adds or removes a label, in the name of the queue or of the person with the handle `by`. Idempotent. */
  setLabel(repository: HostRepository, number: number, label: string, present: boolean, by?: string): Promise<void>;
  /** The newest change of a label. Null when the host knows of none. */
  readLabelChange(repository: HostRepository, number: number, label: string): Promise<LabelChange | null>;
  /**
   * What a person may do in the repository, as the host said at most five minutes ago. With an `id`, the person with
   * this id must still have the handle. Null: the person may do nothing, or nobody has the handle.
   */
  readPermission(
    repository: HostRepository,
    person: { readonly login: string; readonly id: string | null },
  ): Promise<HostPermission | null>;
  /**
   * Comments of people after `cursor`, oldest first, at most a hundred. If `cursor` is null: after the instant `since`.
   */
  listCommentsAfter(
    repository: HostRepository,
    after: { readonly cursor: string | null; readonly since: number },
  ): Promise<{ readonly comments: readonly HostComment[]; readonly cursor: string }>;
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
   * replaced, so that a delayed writer does not bring an old text back.
   */
  upsertComment(
    repository: HostRepository,
    number: number,
    comment: { readonly key: string; readonly body: string; readonly version?: number },
  ): Promise<void>;
  listThreads(repository: HostRepository, number: number): Promise<readonly ReviewThread[]>;
}
