// Mirrors: a bare clone of each repository on this machine (ADR 0045). Commits are made in the mirror and pushed from
// it. The refs of the mirror may differ from the refs at GitHub, so refs are always read from GitHub.
import * as git from '../git/index.ts';
import { CommitMissing, HostUnavailable, type HostRepository } from '../port.ts';
import { concernsLandings, createLedgerReader, joinLedger, type Ledger, ledgerRef } from './landing-ledger.ts';
import {
  cloneOnce,
  cloneTimeoutMs,
  isBroken,
  isLocked,
  mirrorExists,
  locksOlderThanMs,
  mirrorDirectory,
  noteUse,
  removeMirror,
} from './mirror-clone.ts';
import {
  gatherReads,
  readRemoteRefs,
  type ReadRefs,
  refusalMessage,
  type RemoteRef,
  TokenRefused,
} from './remote-refs.ts';
import { remoteEnvironment, type FindRemote, type Remote } from './remote.ts';

export interface MirrorOptions {
  readonly dataDir: string;
  readonly git: git.Git;
  readonly findRemote: FindRemote;
  readonly clock: () => Date;
  /** Called with the present instant when a clone begins, and with null when it has ended. */
  readonly notePreparing?: (repository: HostRepository, since: Date | null) => Promise<void>;
}

export interface Mirrors {
  readonly git: git.Git;
  /** Returns the directory of the mirror. Clones the repository if this machine has no mirror of it yet. */
  ensureClone(repository: HostRepository): Promise<string>;
  /**
   * Reads the refs at GitHub that match the patterns. A pattern is a full name, or a prefix that ends in `/`. A landing
   * ref that was moved to the ledger is read from the ledger.
   */
  readonly readRefs: ReadRefs;
  /** Like `readRefs`, but without the ledger: only refs that exist at GitHub. */
  readonly readActualRefs: ReadRefs;
  /** Reads the ledger. `tip` is the commit of the ledger's ref. Null: there is no ledger. */
  readLedger(repository: HostRepository, tip: string | null): Promise<Ledger>;
  /**
   * Fetches the commits that the mirror lacks, and returns the directory of the mirror. Throws CommitMissing if GitHub
   * lacks a commit too.
   */
  fetchMissing(repository: HostRepository, commits: readonly string[]): Promise<string>;
  /** Like `fetchMissing`, but returns whether all commits exist in the mirror afterwards. */
  tryFetchMissing(repository: HostRepository, commits: readonly string[]): Promise<boolean>;
  /** Runs git in the mirror with credentials for GitHub. `args` makes the arguments from the URL of the repository. */
  runWithRemote(
    repository: HostRepository,
    args: (url: string) => readonly string[],
    input?: { readonly accept?: readonly number[]; readonly timeoutMs?: number },
  ): Promise<git.GitOutput>;
  /**
   * Does work that uses the mirror. If the work fails because the mirror is broken, the mirror is removed, and the next
   * call clones it again. If the work fails because of a lock file, stale lock files are removed.
   */
  repairing<Done>(repository: HostRepository, work: () => Promise<Done>): Promise<Done>;
}

interface Mirror {
  readonly directory: string;
  readonly repository: HostRepository;
}

const fetchTimeoutMs = 10 * 60_000;
/** How long a call waits for a clone before the call fails. The error asks to retry after the same time. */
const cloneWaitMs = 20_000;
/** The greatest number of commits that one fetch gets. */
const maxInOneFetch = 500;
const noteUseEveryMs = 60_000;
/**
 * A mirror that breaks again within this time is not cloned again, because another clone would not remove the cause.
 */
const cloneAgainMs = 60 * 60_000;

export function createMirrors(options: MirrorOptions): Mirrors {
  const clones = new Map<string, Promise<void>>();
  const usedAt = new Map<string, number>();
  const brokenAt = new Map<string, number>();
  const readLedger = createLedgerReader();
  const now = (): number => options.clock().getTime();
  const nameOf = ({ owner, name }: HostRepository): string => `${owner}/${name}`;

  /** If GitHub refuses the token, the work is done once more with a new token. The refused call had no effect. */
  async function withRemote<T>(repository: HostRepository, work: (remote: Remote) => Promise<T>): Promise<T> {
    try {
      return await work(await options.findRemote(repository));
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      return await work(await options.findRemote(repository, { isRefused: true }));
    }
  }

  async function runWithRemoteIn(
    { directory, repository }: Mirror,
    args: (url: string) => readonly string[],
    input: { readonly accept?: readonly number[]; readonly timeoutMs?: number } = {},
  ): Promise<git.GitOutput> {
    return await withRemote(
      repository,
      async (remote) =>
        await options.git
          .run(directory, args(remote.url), { ...input, env: remoteEnvironment(remote) })
          .catch((error: unknown) => {
            throw asHostError(error, repository);
          }),
    );
  }

  async function clone(repository: HostRepository, directory: string): Promise<void> {
    await options.notePreparing?.(repository, options.clock());
    try {
      await cloneOnce(directory, async (draft) => {
        await options.git.run(draft, ['init', '--quiet', '--bare', '.']);
        const refspecs = ['+refs/heads/*:refs/mirror/heads/*', '+refs/interlock/*:refs/mirror/interlock/*'];
        await runWithRemoteIn(
          { directory: draft, repository },
          (url) => ['fetch', '--quiet', '--no-tags', '--force', url, ...refspecs],
          {
            timeoutMs: cloneTimeoutMs,
          },
        );
      });
    } finally {
      await options.notePreparing?.(repository, null);
    }
  }

  async function ensureClone(repository: HostRepository): Promise<string> {
    const directory = mirrorDirectory(options.dataDir, repository);
    if (await mirrorExists(directory)) {
      if (now() - (usedAt.get(directory) ?? 0) >= noteUseEveryMs) {
        usedAt.set(directory, now());
        await noteUse(directory, options.clock());
      }
      return directory;
    }
    let cloning = clones.get(directory);
    if (cloning === undefined) {
      cloning = clone(repository, directory).finally(() => clones.delete(directory));
      cloning.catch(() => {});
      clones.set(directory, cloning);
    }
    await within(cloning, cloneWaitMs, `${nameOf(repository)} is being cloned`);
    return await ensureClone(repository);
  }

  async function missing(directory: string, commits: readonly string[]): Promise<string[]> {
    const isPresent = await Promise.all(
      commits.map(async (id) => (await git.readObjectHeader(options.git, directory, git.requireObjectId(id))) !== null),
    );
    return commits.filter((_commit, index) => !isPresent[index]);
  }

  async function fetchMissing(repository: HostRepository, commits: readonly string[]): Promise<string> {
    const directory = await ensureClone(repository);
    const absent = await missing(directory, [...new Set(commits)]);
    for (let from = 0; from < absent.length; from += maxInOneFetch)
      await fetchCommits(repository, directory, absent.slice(from, from + maxInOneFetch));
    return directory;
  }

  async function fetchCommits(repository: HostRepository, directory: string, ids: readonly string[]): Promise<void> {
    // Each commit gets a ref, so that git does not collect it as garbage.
    const refspecs = ids.map((id) => `${id}:refs/mirror/commits/${id}`);
    await runWithRemoteIn(
      { directory, repository },
      (url) => ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', url, ...refspecs],
      {
        timeoutMs: fetchTimeoutMs,
      },
    ).catch((error: unknown) => {
      const [first = ''] = ids;
      if (!isUnknownCommit(error)) throw error;
      const named = /[0-9a-f]{40}/.exec(String(error instanceof Error ? error.message : error))?.[0];
      throw new CommitMissing(named ?? first, { cause: error });
    });
  }

  const readActualRefs = gatherReads(
    async (repository, patterns) =>
      await withRemote(repository, async (remote) => await readRemoteRefs(repository, remote, patterns)),
  );

  const mirrors: Mirrors = {
    git: options.git,
    ensureClone,
    fetchMissing,
    async tryFetchMissing(repository, commits) {
      try {
        await fetchMissing(repository, commits);
        return true;
      } catch (error) {
        if (error instanceof CommitMissing) return false;
        throw error;
      }
    },
    async readRefs(repository, patterns) {
      if (!patterns.some(concernsLandings)) return await readActualRefs(repository, patterns);
      const found = await readActualRefs(repository, [...patterns, ledgerRef]);
      const tip = found.find(({ ref }) => ref === ledgerRef)?.commit ?? null;
      return joinLedger(found, await readLedger(mirrors, repository, tip)).filter((each) => isOneOf(each, patterns));
    },
    readActualRefs,
    readLedger: async (repository, tip) => await readLedger(mirrors, repository, tip),
    runWithRemote: async (repository, args, input) =>
      await runWithRemoteIn({ directory: await ensureClone(repository), repository }, args, input),
    async repairing(repository, work) {
      try {
        return await work();
      } catch (error) {
        const stderr = stderrOf(error);
        const directory = mirrorDirectory(options.dataDir, repository);
        if (isLocked(stderr)) await git.removeStaleLocks(directory, locksOlderThanMs);
        const message = isBroken(stderr) ? stderr.trim().slice(0, 200) : null;
        if (message === null || now() - (brokenAt.get(directory) ?? -Infinity) < cloneAgainMs) throw error;
        brokenAt.set(directory, now());
        await removeMirror(directory);
        throw new HostUnavailable(`The mirror of ${nameOf(repository)} was broken, and is cloned again: ${message}`, {
          cause: error,
          retryAt: now() + 1_000,
        });
      }
    },
  };
  return mirrors;
}

function isOneOf({ ref }: RemoteRef, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('/') ? ref.startsWith(pattern) : ref === pattern));
}

/** The error output of git. Empty: the error does not come from git. */
function stderrOf(error: unknown): string {
  if (error instanceof git.GitFailed) return error.stderr;
  return error instanceof HostUnavailable && error.cause !== undefined ? stderrOf(error.cause) : '';
}

/** Whether git reports that GitHub does not have an object. */
function isUnknownCommit(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /not our ref|couldn't find remote ref|unadvertised object|bad object|did not send all necessary objects/i.test(
    message,
  );
}

/**
 * Turns failures of git at GitHub into errors of the port. A lost access counts as an outage, so that started work is
 * retried.
 */
export function asHostError(
  error: unknown,
  { owner, name: repositoryName }: Pick<HostRepository, 'owner' | 'name'>,
): unknown {
  if (!(error instanceof git.GitFailed)) return error;
  const message = error.stderr.trim();
  const name = `${owner}/${repositoryName}`;
  if (isUnknownCommit(error)) return new HostUnavailable(message, { cause: error });
  if (/Authentication failed|returned error: 401|could not read Username/i.test(message))
    return new TokenRefused(refusalMessage(name, 401), { cause: error });
  if (/repository was archived/i.test(message))
    return new HostUnavailable(
      `${name} is archived at GitHub: unarchive it in its settings there, and activate it here`,
      {
        cause: error,
      },
    );
  const status = statusOf(message);
  return new HostUnavailable(status === null ? error.message : refusalMessage(name, status), { cause: error });
}

/** The HTTP status of GitHub's answer, from the message of git. Null: the message does not show the status. */
function statusOf(message: string): number | null {
  if (/repository '.*' not found|returned error: 404/i.test(message)) return 404;
  if (/unable to update url base from redirection|returned error: 30\d/i.test(message)) return 301;
  return /returned error: 403/i.test(message) ? 403 : null;
}

async function within<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new HostUnavailable(message, { retryAt: Date.now() + ms })), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
