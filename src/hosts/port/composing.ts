// Commits made without a clone and without moving a branch. The same input gives the same commit ids, every time.
import type { MergeStrategy } from '../../domain/queue/model/rules.ts';
import type { FileChange } from './git.ts';
import type { HostRepository, Identity } from './repository.ts';

/** One pull request inside a commit to compose. */
export interface CompositionMember {
  readonly head: string;
  readonly strategy: MergeStrategy;
  /** Message of its own commit (squash, merge). A rebased series keeps its own messages. */
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /**
   * Head of the pull request below it in its stack. The parent or the members before it have these changes already,
   * perhaps by other commits.
   */
  readonly belowHead?: string | null;
  /** Only by squash. Its changes go into the commit of the next member, and it has no commit of its own. */
  readonly joinsNext?: boolean;
}

export interface Composition {
  /** First parent of the result. */
  readonly parent: string;
  readonly members: readonly CompositionMember[];
  readonly batchCommit: 'group' | 'linear';
  /** With `group`: a squashed or rebased pull request that is alone gets a group commit too. Default false. */
  readonly groupsOne?: boolean;
  /** Message of the group commit; not used when one member's own commit is the result. */
  readonly groupMessage: string;
  /**
   * Committer and author date of everything made, so that the same composition gives the same commit ids every time.
   */
  readonly at: number;
  /** Ref that keeps the result from being collected: `refs/interlock/builds/<batch>`. */
  readonly keepRef: string;
}

export type CompositionResult =
  | {
      readonly kind: 'composed';
      readonly commit: string;
      readonly tree: string;
      /** One for each member; members that share a commit have the same. */
      readonly ownCommits: readonly string[];
    }
  /** `members[at]` does not merge onto `parent` plus the members before it. */
  | { readonly kind: 'conflict'; readonly at: number; readonly paths: readonly string[] };

export interface BranchUpdate {
  readonly head: string;
  readonly onto: string;
  readonly method: 'merge' | 'rebase';
  /** The message of the merge commit. */
  readonly message: string;
  readonly at: number;
  /**
   * Head of a pull request whose changes `onto` has, perhaps by other commits. They do not count as changes of the
   * composed head.
   */
  readonly belowHead?: string | null;
}

/** The same changes as new commits on another one. `empty`: the other one has all of their changes already. */
export type PickedCommits =
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
  /** Why these changes are not committed; null: they are. Of what is refused nothing stays in the repository. */
  readonly refuse?: (changes: readonly FileChange[]) => string | null;
  /** Ref that keeps the result from being collected. */
  readonly keepRef: string;
}

export type FolderCommitResult =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      readonly tree: string;
      readonly changes: readonly FileChange[];
    }
  /** The files are those of the parent. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly message: string };

export interface HostComposing {
  /**
   * The committer of every commit that Interlock makes in the repository, and the author of commits that have no other
   * author. It may change between two calls, as when somebody renames the App: so no commit is recognised only by its
   * author.
   */
  identity(repository: HostRepository): Identity;
  /** Makes commits without a clone. Same input, same commit ids. Does not move any branch. */
  composeCommit(repository: HostRepository, composition: Composition): Promise<CompositionResult>;
  /**
   * Makes a commit of files on disk, which may be anybody's: nothing in the folder is executed. Does not move any
   * branch. Throws HostRefused for what no commit can hold, such as a repository in it without a commit.
   */
  commitFolder(repository: HostRepository, commit: FolderCommit): Promise<FolderCommitResult>;
  /**
   * Makes the commit that brings `onto` into a head, without moving any branch: a merge commit, or the head's own
   * commits rebased, without those `onto` has by the same patch. Same input, same commit. Up to date already: the head.
   */
  composeUpdate(repository: HostRepository, update: BranchUpdate): Promise<PickedCommits>;
  /** Makes the commits of a cherry-pick, each as its change against its first parent, without moving any branch. */
  cherryPick(
    repository: HostRepository,
    picked: { readonly commits: readonly string[]; readonly onto: string; readonly at: number },
  ): Promise<PickedCommits>;
  /**
   * Keeps a commit that was made here where every machine of this installation can land it, under `keepRef` at the host
   * if need be. Called once before a batch waits without a bot branch, which would keep its commit. Idempotent;
   * throws CommitMissing where this machine does not have the commit either.
   */
  keepCommit(repository: HostRepository, commit: string, keepRef: string): Promise<void>;
}
