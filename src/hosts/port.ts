// The code host port: what Interlock asks of the place where repositories live. Its shape is what GitHub's API
// can and cannot do, so that both adapters (`local/`, `github/`) offer the very same guarantees:
// commits and merges are made without a clone; refs move by compare-and-set, several in one atomic update;
// the host's own merge call guards the head but not the base; webhooks are hints that come late, twice or never.
// Every write is idempotent by its arguments or guarded by an expected old value, and no adapter retries a write.
import type { CheckConclusion, MergeStrategy } from '../domain/queue/snapshot.ts';

/** Names a repository to a host. `id` is ours, `owner`/`name` the host's. */
export interface HostRepository {
  readonly accountId: string;
  readonly id: string;
  readonly owner: string;
  readonly name: string;
}

export interface HostCommit {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /** Milliseconds since the epoch. */
  readonly authoredAt: number;
}

export interface HostPullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** Handle of the author. */
  readonly author: string;
  readonly headBranch: string;
  readonly baseBranch: string;
  /** Head commit; for a closed or merged one the head it had then. */
  readonly headSha: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly approvals: number;
  readonly changesRequested: boolean;
  readonly unresolvedConversations: number;
  /** The host demands the review of an owner of what was changed, and it is not there. */
  readonly ownerReviewMissing: boolean;
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
  readonly at: number;
}

export interface HostComment {
  readonly id: string;
  readonly number: number;
  readonly author: string;
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

export interface HostCheck {
  readonly name: string;
  /** 1 for the first run on that commit; a rerun is a new attempt. Only the newest attempt of a name counts. */
  readonly attempt: number;
  /** `pending` while queued or running. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
}

export interface PublishedHostCheck {
  readonly commit: string;
  readonly name: string;
  readonly state: 'pending' | 'success' | 'failure';
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  readonly url: string | null;
  readonly version: number;
}

export interface CheckReport {
  readonly commit: string;
  /** No further check will start by itself: the host knows its whole list for this commit. */
  readonly complete: boolean;
  readonly canceled: boolean;
  readonly checks: readonly HostCheck[];
}

export interface WorkflowDispatch {
  readonly workflow: string;
  readonly commit: string;
  readonly key: string;
  /** Given to the run. A workflow that does not declare one of them is refused, as is more than `mostInputs`. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** What GitHub takes in one dispatch. */
export const mostInputs = 25;

/** A workflow that was asked for by name. It is no check of its commit. */
export interface WorkflowRun {
  /** `pending` while it waits or runs. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
}

/** One pull request inside a commit to compose. */
export interface CompositionMember {
  readonly head: string;
  readonly strategy: MergeStrategy;
  /** Message of its own commit (squash, merge). A rebased series keeps its own messages. */
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /**
   * Head of the pull request it stands on: those changes are in the parent or in the members before it already,
   * whatever commits brought them.
   */
  readonly belowHead?: string | null;
  /** By squash alone: its changes go into the commit of the next member, and it has none of its own. */
  readonly joinsNext?: boolean;
}

export interface Composition {
  /** First parent of the result. */
  readonly parent: string;
  readonly members: readonly CompositionMember[];
  readonly batchCommit: 'group' | 'linear';
  /** Message of the group commit; not used when one member's own commit is the result. */
  readonly groupMessage: string;
  /** Committer and author date of everything made: same composition, same commit ids, however often it is asked for. */
  readonly at: number;
  /** Ref that keeps the result from being collected: `refs/interlock/builds/<batch>`. */
  readonly keepRef: string;
}

/** Who commits what Interlock makes. */
export const serviceIdentity = { name: 'Interlock', email: 'interlock@users.noreply.local' } as const;

export type CompositionResult =
  | {
      readonly kind: 'composed';
      readonly commit: string;
      readonly tree: string;
      /** One for each member, the same for those that share one. */
      readonly ownCommits: readonly string[];
    }
  /** `members[at]` does not merge onto `parent` plus the members before it. */
  | { readonly kind: 'conflict'; readonly at: number; readonly paths: readonly string[] };

export interface BranchUpdate {
  readonly head: string;
  readonly onto: string;
  readonly method: 'merge' | 'rebase';
  /** Of the merge commit. */
  readonly message: string;
  readonly at: number;
  /** Head of a pull request whose changes `onto` has, whatever commits brought them: they are not the head's own. */
  readonly belowHead?: string | null;
}

/** Commits made anew on another one. `empty`: it has all of their changes already. */
export type CarriedCommits =
  | { readonly kind: 'composed'; readonly commit: string; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | { readonly kind: 'empty' };

/** A commit of a folder's files on top of another one, its ignored files left out. */
export interface FolderCommit {
  readonly parent: string;
  /** Checked out from `parent`, and changed since. */
  readonly folder: string;
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /** Same files, same parent, same words, same instant: same commit. */
  readonly at: number;
  /** Ref that keeps the result from being collected. */
  readonly keepRef: string;
}

export interface FileChange {
  readonly path: string;
  /** `100644`, `100755`, `120000` for a link, `160000` for another repository. Null: the file is gone. */
  readonly mode: string | null;
  /** Size of what it is now; of a link the length of its target. Null: it is gone, or another repository. */
  readonly bytes: number | null;
  /** Where a link leads; null for everything else. */
  readonly target: string | null;
}

export type FolderCommitResult =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      readonly tree: string;
      readonly changes: readonly FileChange[];
    }
  /** The files are those of the parent. */
  | { readonly kind: 'empty' };

/** `base` is where the head left its base branch: what differs from it is the head's own. */
export interface ChangedFiles {
  readonly base: string;
  /** A renamed file is one that is gone and one that is there. */
  readonly files: readonly Pick<FileChange, 'path' | 'mode'>[];
}

/** Where a commit comes from. */
export interface Descent {
  readonly commit: string;
  readonly parents: readonly string[];
}

export interface RefUpdate {
  readonly ref: string;
  /** Expected old value; null: the ref must not exist. */
  readonly from: string | null;
  /** New value; null deletes. */
  readonly to: string | null;
}

/** What a host tells us: only that something changed. The receiver reads the facts back from the host. */
export type HostEvent =
  | { readonly kind: 'push'; readonly repository: HostRepository; readonly ref: string }
  | { readonly kind: 'pull_request'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'comment'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'checks'; readonly repository: HostRepository; readonly commit: string };

/** A compare-and-set failed: nothing of the update was applied. */
export class RefMoved extends Error {
  constructor(
    readonly ref: string,
    readonly expected: string | null,
    readonly actual: string | null,
  ) {
    super(`${ref} is ${actual ?? 'absent'}, expected ${expected ?? 'absent'}`);
    this.name = 'RefMoved';
  }
}
/** The host could not be reached or read; nothing is known of what it did. */
export class HostUnavailable extends Error {}
/** The host refused for good: its words. */
export class HostRefused extends Error {}

export interface CodeHost {
  readonly kind: 'local' | 'github';

  /** Makes the repository exist (local) or checks that it does (github). Idempotent. */
  ensureRepository(repository: HostRepository, options: { readonly defaultBranch: string }): Promise<void>;
  /** Commit a ref points at, with its tree; null when it does not exist. `ref` is full: `refs/heads/main`. */
  readRef(repository: HostRepository, ref: string): Promise<{ readonly commit: string; readonly tree: string } | null>;
  /** Full names and commits of the refs under a prefix such as `refs/heads/` or `refs/interlock/landings/`. */
  listRefs(
    repository: HostRepository,
    prefix: string,
  ): Promise<readonly { readonly ref: string; readonly commit: string }[]>;
  readCommit(repository: HostRepository, commit: string): Promise<HostCommit | null>;
  /** First-parent commits from `to` down to, excluding, `from` (null: to the root), newest first, at most `limit`. */
  listFirstParents(
    repository: HostRepository,
    range: { readonly from: string | null; readonly to: string; readonly limit: number },
  ): Promise<readonly HostCommit[]>;
  /** Commits that `to` reaches and none of `from` does, merges included, oldest first; of more than `limit` the newest. */
  listCommits(
    repository: HostRepository,
    range: { readonly from: readonly string[]; readonly to: string; readonly limit: number },
  ): Promise<readonly HostCommit[]>;
  /**
   * What any of `to` reaches and `from` does not, parents before their children; null when it is more than `limit`.
   * Of `to` what is no commit there is left out.
   */
  listAncestry(
    repository: HostRepository,
    range: { readonly from: string; readonly to: readonly string[]; readonly limit: number },
  ): Promise<readonly Descent[] | null>;
  isAncestor(repository: HostRepository, ancestor: string, descendant: string): Promise<boolean>;
  /** What a head changes since it left `base`. Null: more than `limit` files, or the two have no commit in common. */
  listChangedFiles(
    repository: HostRepository,
    range: { readonly base: string; readonly head: string; readonly limit: number },
  ): Promise<ChangedFiles | null>;
  /** Text of a file at a commit; null when it is not there or larger than `maxBytes`. `blob` is its object id. */
  readFile(
    repository: HostRepository,
    file: { readonly commit: string; readonly path: string; readonly maxBytes: number },
  ): Promise<{ readonly text: string; readonly blob: string } | null>;
  /** Puts a commit's files into an empty folder, with a `.git` of their own that leads back to nothing. */
  checkOut(repository: HostRepository, commit: string, folder: string): Promise<void>;

  getPullRequest(repository: HostRepository, number: number): Promise<HostPullRequest | null>;
  listOpenPullRequests(repository: HostRepository): Promise<readonly HostPullRequest[]>;
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
    words: { readonly title?: string; readonly body?: string },
  ): Promise<void>;
  /** Idempotent: a closed or merged one stays as it is. */
  closePullRequest(repository: HostRepository, number: number): Promise<void>;
  /** After a landing: the host shows it as merged (local), or closed with the commit named (github). Idempotent. */
  concludePullRequest(
    repository: HostRepository,
    number: number,
    landing: { readonly mergeCommit: string; readonly at: number },
  ): Promise<void>;
  /** A review in the name of a handle; its newest word counts. Throws HostRefused for the author's own. */
  reviewPullRequest(
    repository: HostRepository,
    number: number,
    review: { readonly reviewer: string; readonly verdict: 'approved' | 'changes_requested' },
  ): Promise<void>;
  /** In the name of the queue, or of the person whose handle is given. Idempotent. */
  setLabel(repository: HostRepository, number: number, label: string, present: boolean, by?: string): Promise<void>;
  /** The newest change of a label. Null when the host knows of none. */
  readLabelChange(repository: HostRepository, number: number, label: string): Promise<LabelChange | null>;
  /** Commits that a head has and its base has not, and whose signature the host has not verified. */
  countUnverifiedCommits(
    repository: HostRepository,
    range: { readonly head: string; readonly base: string },
  ): Promise<number>;
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
  listThreads(repository: HostRepository, number: number): Promise<readonly ReviewThread[]>;
  /** A comment in the name of a handle. */
  addComment(
    repository: HostRepository,
    number: number,
    comment: { readonly author: string; readonly body: string },
  ): Promise<HostComment>;
  /** A review conversation, which stays unresolved until somebody resolves it. */
  openThread(
    repository: HostRepository,
    number: number,
    thread: { readonly author: string; readonly body: string },
  ): Promise<ReviewThread>;
  /** Idempotent. Null when the pull request has no such thread. */
  resolveThread(
    repository: HostRepository,
    number: number,
    resolution: { readonly thread: string; readonly by: string; readonly resolved: boolean },
  ): Promise<ReviewThread | null>;
  /**
   * A comment kept under `key`: written once, edited in place afterwards. With a `version`, what was written under a
   * higher one stays: a writer that was held up does not bring old words back.
   */
  upsertComment(
    repository: HostRepository,
    number: number,
    comment: { readonly key: string; readonly body: string; readonly version?: number },
  ): Promise<void>;

  /** Newest attempt of every check of a commit, of workflows that start by themselves too while they wait or run. */
  readChecks(repository: HostRepository, commit: string): Promise<CheckReport>;
  /** Reports a check of ours on a commit, which `readChecks` never has. What was reported under a higher `version` stays. */
  publishCheck(repository: HostRepository, check: PublishedHostCheck): Promise<void>;
  /** Names the host's branch protection requires on a base branch, read at its present tip. */
  readRequiredChecks(repository: HostRepository, baseBranch: string): Promise<readonly string[]>;
  /** Stops what still runs for a commit. Idempotent. */
  cancelChecks(repository: HostRepository, commit: string): Promise<void>;
  /** Starts the named checks again (a new attempt each). Answers those it starts: not what still runs, or never ran. */
  rerunChecks(repository: HostRepository, commit: string, names: readonly string[]): Promise<readonly string[]>;

  /**
   * Starts a workflow on a commit and answers the host's name for the run. One run for each `key`: asked again, the host
   * answers the run there is. Throws HostRefused when that commit has no such workflow, or it does not take the inputs.
   */
  dispatchWorkflow(repository: HostRepository, dispatch: WorkflowDispatch): Promise<string>;
  /** Null: the host knows no such run. */
  readWorkflowRun(repository: HostRepository, run: string): Promise<WorkflowRun | null>;
  /** Idempotent; one that has ended stays as it is. */
  cancelWorkflowRun(repository: HostRepository, run: string): Promise<void>;

  /** Makes commits without a clone. Same input, same commit ids. Does not move any branch. */
  composeCommit(repository: HostRepository, composition: Composition): Promise<CompositionResult>;
  /**
   * Makes a commit of files on disk, which may be anybody's: nothing in the folder is executed. Does not move any branch.
   * Throws HostRefused for what no commit can hold, such as a repository in it without a commit.
   */
  commitFolder(repository: HostRepository, commit: FolderCommit): Promise<FolderCommitResult>;
  /** All or none. Throws RefMoved when an expected value does not hold. CI starts for branches it moves, `mq-tmp-*` excepted. */
  updateRefs(repository: HostRepository, updates: readonly RefUpdate[]): Promise<void>;
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
   * Makes the commit that brings `onto` into a head, without moving any branch: a merge commit, or the head's own
   * commits rebased, without those `onto` has by the same patch. Same input, same commit. Up to date already: the head.
   */
  composeUpdate(repository: HostRepository, update: BranchUpdate): Promise<CarriedCommits>;
  /** Makes the commits of a cherry-pick, each as its change against its first parent, without moving any branch. */
  cherryPick(
    repository: HostRepository,
    picked: { readonly commits: readonly string[]; readonly onto: string; readonly at: number },
  ): Promise<CarriedCommits>;
}

export type Hosts = (kind: CodeHost['kind']) => CodeHost;
