// Pull requests, their labels and reviews, and what is said on them.
import type { GitHubPermission } from '../../domain/accounts/github-people.ts';
import type { MergeStrategy } from '../../domain/queue/model/rules.ts';
import type { HostRepository } from './repository.ts';

/** In a repository, in the words of GitHub. */
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
  /** Head commit; for a closed or merged one the head it had then. */
  readonly headSha: string;
  /**
   * Tip of the head branch, as git has it. A host's record of the head may trail the branch, for hours at worst: where the
   * two differ, the record says nothing about the tip, and nothing is admitted or landed. Null: the pull request is not
   * open, the branch is gone, or the host cannot tell, as of a fork.
   */
  readonly headTip: string | null;
  /** Tip of the base branch, as git has it. Null: the pull request is not open, or the branch is gone. */
  readonly baseTip: string | null;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** Of reviewers who are not among its authors. */
  readonly approvals: number;
  readonly changesRequested: boolean;
  readonly unresolvedConversations: number;
  /** The host demands the review of an owner of what was changed, and it is not there. */
  readonly ownerReviewMissing: boolean;
  /** The host's own rules for the base branch demand a review that is not there. */
  readonly requiredReviewMissing: boolean;
  readonly createdAt: number;
  readonly mergedAt: number | null;
  readonly mergeCommitSha: string | null;
  readonly url: string;
}

/** Who changed a label last. */
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
   * Asked every minute for a repository with pull requests in line. A host where each question counts answers from what it
   * knows already as long as nothing has changed there.
   */
  listOpenPullRequests(repository: HostRepository): Promise<readonly HostPullRequest[]>;
  /** Open pull requests of a branch of this repository, one for each base branch, the oldest first. Never those of forks. */
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
  /** Another base branch for an open pull request. Idempotent; throws HostRefused where the host does not permit it. */
  setBaseBranch(repository: HostRepository, number: number, baseBranch: string): Promise<void>;
  /** A closed or merged one stays as it is. */
  editPullRequest(
    repository: HostRepository,
    number: number,
    changes: { readonly title?: string; readonly body?: string },
  ): Promise<void>;
  /** Idempotent: a closed or merged one stays as it is. */
  closePullRequest(repository: HostRepository, number: number): Promise<void>;
  /** Throws HostRefused for a pull request that is not closed, and where one of its branches is gone. */
  reopenPullRequest(repository: HostRepository, number: number): Promise<void>;
  /** The host's own merge button: guards the head, not the base. Throws RefMoved. */
  mergePullRequest(
    repository: HostRepository,
    number: number,
    merge: {
      readonly expectedHead: string;
      readonly strategy: MergeStrategy;
      readonly message: string;
      /** Where this ref exists nothing is merged, however late the call comes through. Not every host can hold to it. */
      readonly unlessRef: string | null;
    },
  ): Promise<{ readonly commit: string }>;
  /**
   * After a landing: the host shows it as merged, or closes it with `comment` as its last comment (github, where the head
   * itself is not in the base). Idempotent: a merged pull request stays as it is, and the comment is written once.
   */
  concludePullRequest(
    repository: HostRepository,
    number: number,
    landing: { readonly mergeCommit: string; readonly at: number; readonly comment: string },
  ): Promise<void>;
  /**
   * Names more authors of a branch, besides the person who opens its pull request: handles and addresses of people who
   * cannot approve it, and whose approval counts no more. Idempotent; names are added to those there are.
   */
  addBranchAuthors(repository: HostRepository, branch: string, names: readonly string[]): Promise<void>;
  /** The same of everybody whose work the pull request `from` is: its author, and the authors of its branch. */
  addAuthorsOf(repository: HostRepository, from: number, branch: string): Promise<void>;
  /**
   * The commits of a pull request as the host lists them, the oldest first. A merged one keeps those that it had. Null:
   * the host cannot tell, because it lists too few or none.
   */
  listCommitsOf(repository: HostRepository, number: number): Promise<readonly string[] | null>;
  /** Commits that a head has and its base has not, and whose signature the host has not verified. */
  countUnverifiedCommits(
    repository: HostRepository,
    range: { readonly head: string; readonly base: string },
  ): Promise<number>;
  /** In the name of the queue, or of the person whose handle is given. Idempotent. */
  setLabel(repository: HostRepository, number: number, label: string, present: boolean, by?: string): Promise<void>;
  /** The newest change of a label. Null when the host knows of none. */
  readLabelChange(repository: HostRepository, number: number, label: string): Promise<LabelChange | null>;
  /**
   * What a person may do in the repository, as the host said at most five minutes ago. With an `id` the handle must be
   * that person's still. Null: nothing, or nobody has the handle.
   */
  readPermission(
    repository: HostRepository,
    person: { readonly login: string; readonly id: string | null },
  ): Promise<HostPermission | null>;
  /** What people wrote after `cursor`, oldest first, at most a hundred. A null `cursor` is the instant `since`. */
  listCommentsAfter(
    repository: HostRepository,
    after: { readonly cursor: string | null; readonly since: number },
  ): Promise<{ readonly comments: readonly HostComment[]; readonly cursor: string }>;
  /** Everything said on a pull request, oldest first. */
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
   * A comment kept under `key`: written once, edited in place afterwards. With a `version`, what was written under a
   * higher one stays: a writer that was held up does not bring an old text back.
   */
  upsertComment(
    repository: HostRepository,
    number: number,
    comment: { readonly key: string; readonly body: string; readonly version?: number },
  ): Promise<void>;
  listThreads(repository: HostRepository, number: number): Promise<readonly ReviewThread[]>;
}
