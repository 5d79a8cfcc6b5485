// Commits that are made without a clone and without moving a branch. The same input always gives the same commit ids.
import type { MergeStrategy } from '../../domain/queue/model/rules.ts';
import type { FileChange } from './git.ts';
import type { HostRepository, Identity } from './repository.ts';

/** One pull request inside a commit to compose. */
export interface CompositionMember {
  readonly head: string;
  readonly strategy: MergeStrategy;
  /** The message of the pull request's own commit, by squash or merge. Rebased commits keep their own messages. */
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /**
   * The head of the pull request below this one in its stack. The parent or the earlier members contain the changes of
   * this head already, perhaps in other commits.
   */
  readonly belowHead?: string | null;
  /**
   * Only with squash. The changes of this member become part of the next member's commit, and this member has no commit
   * of its own.
   */
  readonly joinsNext?: boolean;
}

export interface Composition {
  /** First parent of the result. */
  readonly parent: string;
  readonly members: readonly CompositionMember[];
  readonly batchCommit: 'group' | 'linear';
  /**
   * With `batchCommit: 'group'`: a single member that is squashed or rebased gets a group commit too. Default: false.
   */
  readonly groupsOne?: boolean;
  /** The message of the group commit. Not used if the result is the own commit of a single member. */
  readonly groupMessage: string;
  /**
   * The committer date and author date of all commits that are made, in milliseconds since the epoch. With a fixed
   * date, the same composition always gives the same commit ids.
   */
  readonly at: number;
  /** The ref that protects the result from garbage collection: `refs/interlock/builds/<batch>`. */
  readonly keepRef: string;
}

export type CompositionResult =
  | {
      readonly kind: 'composed';
      readonly commit: string;
      readonly tree: string;
      /** One commit for each member. Members that share a commit have the same id. */
      readonly ownCommits: readonly string[];
      /** Whether the last own commit changes nothing. */
      readonly isEmpty: boolean;
    }
  /** `members[at]` conflicts with `parent` or with an earlier member. */
  | { readonly kind: 'conflict'; readonly at: number; readonly paths: readonly string[] };

export interface BranchUpdate {
  readonly head: string;
  readonly onto: string;
  readonly method: 'merge' | 'rebase';
  /** The message of the merge commit. */
  readonly message: string;
  readonly at: number;
  /**
   * The head of a pull request whose changes `onto` contains, perhaps in other commits. These changes do not count as
   * changes of the composed head.
   */
  readonly belowHead?: string | null;
}

/** The same changes as new commits on another commit. `empty`: the other commit contains all the changes already. */
export type PickedCommits =
  | { readonly kind: 'composed'; readonly commit: string; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | { readonly kind: 'empty' };

/** A commit with the files of a folder, on top of another commit. Files that git ignores are left out. */
export interface FolderCommit {
  readonly parent: string;
  /** A checkout of `parent` whose files may have been changed. */
  readonly folder: string;
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /**
   * The date of the commit, in milliseconds since the epoch. The same files, parent, message and instant give the same
   * commit.
   */
  readonly at: number;
  /**
   * Returns why the changes may not be committed. Null: they are committed. No object of refused changes stays in the
   * repository.
   */
  readonly refuse?: (changes: readonly FileChange[]) => string | null;
  /** The ref that protects the result from garbage collection. */
  readonly keepRef: string;
}

export type FolderCommitResult =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      readonly tree: string;
      readonly changes: readonly FileChange[];
    }
  /** The files do not differ from the files of the parent. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly message: string };

export interface HostComposing {
  /**
   * The committer of every commit that Interlock makes in the repository, and the author of commits without another
   * author. The identity may change between two calls, for example when the App is renamed. Interlock therefore
   * recognises no commit by its author alone.
   */
  identity(repository: HostRepository): Identity;
  /**
   * Makes the commits of a batch without a clone. The same input gives the same commit ids. Does not move any branch.
   */
  composeCommit(repository: HostRepository, composition: Composition): Promise<CompositionResult>;
  /**
   * Makes a commit of files on disk. The files are not trusted, so nothing in the folder is executed. Does not move any
   * branch. Throws HostRefused if git cannot commit the files, for example if the folder contains a repository without
   * a commit.
   */
  commitFolder(repository: HostRepository, commit: FolderCommit): Promise<FolderCommitResult>;
  /**
   * Updates a head with the changes of `onto`, without moving any branch: by a merge commit, or by a rebase of the
   * head's own commits. The rebase leaves out each commit whose patch `onto` has already. The same input gives the same
   * commit. Returns the head itself if the head contains `onto`.
   */
  composeUpdate(repository: HostRepository, update: BranchUpdate): Promise<PickedCommits>;
  /**
   * Makes the commits of a cherry-pick without moving any branch. A commit's change is its difference from its first
   * parent.
   */
  cherryPick(
    repository: HostRepository,
    picked: { readonly commits: readonly string[]; readonly onto: string; readonly at: number },
  ): Promise<PickedCommits>;
  /**
   * Stores a commit that this machine made, so that every machine of the installation can land the commit. Pushes it to
   * `keepRef` at the host if necessary. Called once for a batch that waits without a bot branch, because no branch
   * protects the commit of such a batch. Idempotent. Throws CommitMissing if neither the host nor this machine has the
   * commit.
   */
  keepCommit(repository: HostRepository, commit: string, keepRef: string): Promise<void>;
}
