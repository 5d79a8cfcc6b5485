// Refs, commits and files: the answers that git itself would give.
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

/** A commit and its parents. */
export interface CommitParents {
  readonly commit: string;
  readonly parents: readonly string[];
}

export interface FileChange {
  readonly path: string;
  /** `100644`, `100755`, `120000` for a link, `160000` for another repository. Null: the file is gone. */
  readonly mode: string | null;
  /**
   * Size of the new content; for a link, the length of its target. Null: the file is gone, or is another repository.
   */
  readonly bytes: number | null;
  /** Where a link leads; null for everything else. */
  readonly target: string | null;
}

/** `base` is where the head left its base branch: what differs from it is the head's own. */
export interface ChangedFiles {
  readonly base: string;
  /** A renamed file is a file that is gone and a file that is there. */
  readonly files: readonly Pick<FileChange, 'path' | 'mode'>[];
}

export interface ConfigurationPush {
  /** Handle, or the address of a user without one. */
  readonly by: string;
  /** Whether the token of the push has the scope config:write. */
  readonly mayConfigure: boolean;
}

export interface RefUpdate {
  readonly ref: string;
  /** Expected old value; null: the ref must not exist. */
  readonly from: string | null;
  /** New value; null deletes. */
  readonly to: string | null;
}

export interface HostGit {
  /** Commit a ref points at, with its tree; null when it does not exist. `ref` is full: `refs/heads/main`. */
  readRef(repository: HostRepository, ref: string): Promise<{ readonly commit: string; readonly tree: string } | null>;
  /** Full names and commits of the refs under a prefix such as `refs/heads/` or `refs/interlock/landings/`. */
  listRefs(
    repository: HostRepository,
    prefix: string,
  ): Promise<readonly { readonly ref: string; readonly commit: string }[]>;
  /**
   * All or none. Throws RefMoved when an expected value does not hold, and CommitMissing when a ref is to point at a
   * commit that is not there any more. CI starts for branches it moves, `mq-tmp-*` excepted.
   */
  updateRefs(repository: HostRepository, updates: readonly RefUpdate[]): Promise<void>;
  readCommit(repository: HostRepository, commit: string): Promise<HostCommit | null>;
  /**
   * First-parent commits from `to` down to, excluding, `from` (null: to the root), newest first, at most `limit`. With
   * a `path` only commits that change it.
   */
  listFirstParents(
    repository: HostRepository,
    range: { readonly from: string | null; readonly to: string; readonly limit: number; readonly path?: string },
  ): Promise<readonly HostCommit[]>;
  /**
   * Commits that `to` reaches and none of `from` does, merges included, oldest first; of more than `limit` the newest.
   */
  listCommits(
    repository: HostRepository,
    range: { readonly from: readonly string[]; readonly to: string; readonly limit: number },
  ): Promise<readonly HostCommit[]>;
  /**
   * What any of `to` reaches and `from` does not, parents before their children; null when it is more than `limit`.
   * A member of `to` that is no commit there is left out.
   */
  listAncestry(
    repository: HostRepository,
    range: { readonly from: string; readonly to: readonly string[]; readonly limit: number },
  ): Promise<readonly CommitParents[] | null>;
  /**
   * Who made the newest push to `ref` that changed the configuration file, on the first-parent line from `tip` down to
   * `since`. Null: the host does not know, for example because the commit was pushed past it or made by the service.
   */
  findConfigurationPush(
    repository: HostRepository,
    of: { readonly ref: string; readonly since: string; readonly tip: string },
  ): Promise<ConfigurationPush | null>;
  /**
   * A thin pack of what `commits` reach and `without` does not, for a clone that has `without`. Commits that are
   * nowhere are left out. Throws HostUnavailable for more than 64 MB.
   */
  packCommits(
    repository: HostRepository,
    range: { readonly commits: readonly string[]; readonly without: readonly string[] },
  ): Promise<Buffer>;
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
}
