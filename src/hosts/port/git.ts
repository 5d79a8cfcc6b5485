// Reads and writes of refs, commits and files, with the same results as git.
import type { RunBounds } from '../../domain/runs/bounds.ts';
import type { HostRepository } from './repository.ts';

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

export interface CheckoutFolder {
  readonly folder: string;
  /** The bounds of the run that gets the checkout. Default: `defaultRunBounds`. */
  readonly bounds?: RunBounds | undefined;
}

/** A commit and its parents. */
export interface CommitParents {
  readonly commit: string;
  readonly parents: readonly string[];
}

export interface FileChange {
  readonly path: string;
  /** `100644`, `100755`, `120000` for a symbolic link, `160000` for a submodule. Null: the file is deleted. */
  readonly mode: string | null;
  /**
   * The size of the new content. For a symbolic link, the length of its target. Null: the file is deleted, or is a
   * submodule.
   */
  readonly bytes: number | null;
  /** The target of a symbolic link. Null for every other file. */
  readonly target: string | null;
}

/**
 * `base` is the merge base of the head and its base branch. The files are the difference between `base` and the head.
 */
export interface ChangedFiles {
  readonly base: string;
  /** A renamed file is listed twice: as a deleted file and as an added file. */
  readonly files: readonly Pick<FileChange, 'path' | 'mode'>[];
}

export interface ConfigurationPush {
  /** The handle of the user, or the email address of a user without a handle. */
  readonly by: string;
  /** Whether the token that was used for the push has the scope config:write. */
  readonly mayConfigure: boolean;
}

export interface RefUpdate {
  readonly ref: string;
  /** The expected old value. Null: the ref must not exist. */
  readonly from: string | null;
  /** The new value. Null deletes the ref. */
  readonly to: string | null;
}

export interface HostGit {
  /**
   * The commit of a ref, and its tree. Null: the ref does not exist. `ref` is the full name, such as `refs/heads/main`.
   */
  readRef(repository: HostRepository, ref: string): Promise<{ readonly commit: string; readonly tree: string } | null>;
  /** Full names and commits of the refs whose names begin with a prefix such as `refs/heads/` or `refs/heads/mq-bot-`. */
  listRefs(
    repository: HostRepository,
    prefix: string,
  ): Promise<readonly { readonly ref: string; readonly commit: string }[]>;
  /**
   * Applies all the updates or none. Throws RefMoved if a ref does not have its expected old value, and CommitMissing
   * if the new commit of a ref does not exist any more. CI starts for every branch that is moved, except `mq-tmp-*`.
   */
  updateRefs(repository: HostRepository, updates: readonly RefUpdate[]): Promise<void>;
  readCommit(repository: HostRepository, commit: string): Promise<HostCommit | null>;
  /**
   * The first-parent commits from `to` back to `from`, at most `limit`. `from` itself is left out (null: back to the
   * root). The newest commit is first. With a `path`, only the commits that change the file at this path.
   */
  listFirstParents(
    repository: HostRepository,
    range: { readonly from: string | null; readonly to: string; readonly limit: number; readonly path?: string },
  ): Promise<readonly HostCommit[]>;
  /**
   * The commits that are reachable from `to` and from none of `from`, merge commits included. The oldest is first. If
   * there are more than `limit` commits, only the newest `limit` are returned.
   */
  listCommits(
    repository: HostRepository,
    range: { readonly from: readonly string[]; readonly to: string; readonly limit: number },
  ): Promise<readonly HostCommit[]>;
  /**
   * The commits that are reachable from any of `to`, but not from `from`. Parents come before their children. A member
   * of `to` that is not a commit of the repository is left out. Null: there are more than `limit`.
   */
  listAncestry(
    repository: HostRepository,
    range: { readonly from: string; readonly to: readonly string[]; readonly limit: number },
  ): Promise<readonly CommitParents[] | null>;
  /**
   * Who made the newest push to `ref` that changed the configuration file, on the first-parent line from `tip` back to
   * `since`. Null: the host has no record of the push, for example because Interlock made the commit.
   */
  findConfigurationPush(
    repository: HostRepository,
    range: { readonly ref: string; readonly since: string; readonly tip: string },
  ): Promise<ConfigurationPush | null>;
  /**
   * A thin pack of the objects that are reachable from `commits`, but not from `without`. It is for a clone that has
   * the commits `without`. Commits that do not exist are left out. The pack may be larger than the memory, and is read
   * piece by piece.
   */
  packCommits(
    repository: HostRepository,
    range: { readonly commits: readonly string[]; readonly without: readonly string[] },
  ): AsyncIterable<Buffer>;
  isAncestor(repository: HostRepository, ancestor: string, descendant: string): Promise<boolean>;
  /**
   * The files that a head changes since its merge base with `base`. Null: there are more than `limit` files, or the
   * head and `base` have no common ancestor.
   */
  listChangedFiles(
    repository: HostRepository,
    range: { readonly base: string; readonly head: string; readonly limit: number },
  ): Promise<ChangedFiles | null>;
  /**
   * The text of a file at a commit, and its object id `blob`. Null: the file does not exist, or is larger than
   * `maxBytes`.
   */
  readFile(
    repository: HostRepository,
    file: { readonly commit: string; readonly path: string; readonly maxBytes: number },
  ): Promise<{ readonly text: string; readonly blob: string } | null>;
  /**
   * Checks a commit out into an empty folder. The folder gets its own `.git`, which has no reference to the repository.
   * Throws HostRefused if the files of the commit exceed the bounds.
   */
  checkOut(repository: HostRepository, commit: string, into: CheckoutFolder): Promise<void>;
}
