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
import { AccessRefused, asHostError, isUnknownCommit, stderrOf } from './mirror-errors.ts';
import { type ConfirmedReaderOptions, createConfirmedReader } from './confirmed-refs.ts';
import { gatherReads, matchesPattern, mayPush, readRemoteRefs, type ReadRefs, TokenRefused } from './remote-refs.ts';
import { remoteEnvironment, type FindRemote, type Remote, type WantedRemote } from './remote.ts';

export interface MirrorOptions {
  readonly dataDir: string;
  readonly git: git.Git;
  readonly findRemote: FindRemote;
  readonly clock: () => Date;
  /** Left out: no tips are stored. */
  readonly readTips?: ConfirmedReaderOptions['readTips'];
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
    input?: { readonly accept?: readonly number[]; readonly timeoutMs?: number; readonly signal?: AbortSignal },
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
/** The shortest time between two new tokens because the old one did not reach a repository. */
const renewEveryMs = 60_000;
/**
 * A mirror that breaks again within this time is not cloned again, because another clone would not remove the cause.
 */
const cloneAgainMs = 60 * 60_000;

export function createMirrors(options: MirrorOptions): Mirrors {
  const remotes = createRemotes(options);
  const ensureClone = createClones(options, remotes);
  const fetchMissing: Mirrors['fetchMissing'] = async (repository, commits) => {
    const directory = await ensureClone(repository);
    const absent = await findAbsent(options.git, directory, [...new Set(commits)]);
    for (let from = 0; from < absent.length; from += maxInOneFetch)
      await fetchCommits(remotes, { repository, directory }, absent.slice(from, from + maxInOneFetch));
    return directory;
  };
  const readActualRefs = gatherReads(
    createConfirmedReader({
      read: async (repository, patterns) =>
        await remotes.use(
          repository,
          async (remote) => await readRemoteRefs(repository, remote, { patterns, clock: options.clock }),
          { isShared: true },
        ),
      readTips: options.readTips ?? (async () => await Promise.resolve(new Map())),
      confirmName: async (repository) => {
        const isConfirmed = await remotes.use(
          repository,
          async (remote) => await mayPush(repository, remote, options.clock),
        );
        // The App may not push to an archived repository, for example.
        if (!isConfirmed) await (await options.findRemote(repository, { isShared: true })).confirmUrl();
      },
    }),
  );
  const readLedger = createLedgerReader();
  const mirrors: Mirrors = {
    git: options.git,
    ensureClone,
    fetchMissing,
    tryFetchMissing: async (repository, commits) => await hasFetched(fetchMissing(repository, commits)),
    async readRefs(repository, patterns) {
      if (!patterns.some(concernsLandings)) return await readActualRefs(repository, patterns);
      const found = await readActualRefs(repository, [...patterns, ledgerRef]);
      const tip = found.find(({ ref }) => ref === ledgerRef)?.commit ?? null;
      return joinLedger(found, await readLedger(mirrors, repository, tip)).filter(({ ref }) =>
        matchesPattern(ref, patterns),
      );
    },
    readActualRefs,
    readLedger: async (repository, tip) => await readLedger(mirrors, repository, tip),
    runWithRemote: async (repository, args, input) =>
      await remotes.run({ directory: await ensureClone(repository), repository }, args, input),
    repairing: createRepairs(options),
  };
  return mirrors;
}

/** Calls of GitHub with the address and the token of a repository. */
interface Remotes {
  /**
   * If GitHub refuses the token, the work is done once more with another token. The refused call had no effect. If only
   * the access is refused, another token is tried at most once a minute: a token that is limited to the repository may
   * not reach it any more after the repository was taken out of the installation and put back.
   */
  use<T>(repository: HostRepository, work: (remote: Remote) => Promise<T>, wanted?: WantedRemote): Promise<T>;
  /** Runs git in the mirror. */
  run(
    mirror: Mirror,
    args: (url: string) => readonly string[],
    input?: { readonly accept?: readonly number[]; readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<git.GitOutput>;
}

function createRemotes(options: MirrorOptions): Remotes {
  const renewedAt = new Map<string, number>();
  const mayReach = ({ accountId, id }: HostRepository): boolean => {
    const key = `${accountId}/${id}`;
    const now = options.clock().getTime();
    if (now - (renewedAt.get(key) ?? -Infinity) < renewEveryMs) return false;
    renewedAt.set(key, now);
    return true;
  };
  const use: Remotes['use'] = async (repository, work, wanted = {}) => {
    const remote = await options.findRemote(repository, wanted);
    try {
      return await work(remote);
    } catch (error) {
      if (!(error instanceof TokenRefused) && !(error instanceof AccessRefused && mayReach(repository))) throw error;
      const again = await options
        .findRemote(repository, { ...wanted, instead: remote.token })
        .catch((failure: unknown) => {
          throw error instanceof AccessRefused ? error : failure;
        });
      return await work(again);
    }
  };
  return {
    use,
    run: async ({ directory, repository }, args, input = {}) =>
      await use(
        repository,
        async (remote) =>
          await options.git
            .run(directory, args(remote.url), { ...input, env: remoteEnvironment(remote) })
            .catch((error: unknown) => {
              throw asHostError(error, repository);
            }),
      ),
  };
}

/** Clones each repository once, also if several callers need it at the same time. */
function createClones(options: MirrorOptions, remotes: Remotes): Mirrors['ensureClone'] {
  const clones = new Map<string, Promise<void>>();
  const usedAt = new Map<string, number>();
  return async function ensureClone(repository) {
    const directory = mirrorDirectory(options.dataDir, repository);
    if (await mirrorExists(directory)) {
      const now = options.clock();
      if (now.getTime() - (usedAt.get(directory) ?? 0) >= noteUseEveryMs) {
        usedAt.set(directory, now.getTime());
        await noteUse(directory, now);
      }
      return directory;
    }
    let cloning = clones.get(directory);
    if (cloning === undefined) {
      cloning = clone(options, remotes, { repository, directory }).finally(() => clones.delete(directory));
      cloning.catch(() => {});
      clones.set(directory, cloning);
    }
    await withinCloneWait(cloning, options.clock, `${nameOf(repository)} is being cloned`);
    return await ensureClone(repository);
  };
}

async function clone(options: MirrorOptions, remotes: Remotes, { repository, directory }: Mirror): Promise<void> {
  await options.notePreparing?.(repository, options.clock());
  try {
    await cloneOnce(directory, async (draft) => {
      await options.git.run(draft, ['init', '--quiet', '--bare', '.']);
      const refspecs = ['+refs/heads/*:refs/mirror/heads/*', '+refs/interlock/*:refs/mirror/interlock/*'];
      await remotes.run(
        { directory: draft, repository },
        (url) => ['fetch', '--quiet', '--no-tags', '--force', url, ...refspecs],
        { timeoutMs: cloneTimeoutMs },
      );
    });
  } finally {
    await options.notePreparing?.(repository, null);
  }
}

/** The commits that the mirror lacks. */
async function findAbsent(runner: git.Git, directory: string, commits: readonly string[]): Promise<string[]> {
  const isPresent = await Promise.all(
    commits.map(async (id) => (await git.readObjectHeader(runner, directory, git.requireObjectId(id))) !== null),
  );
  return commits.filter((_commit, index) => !isPresent[index]);
}

async function fetchCommits(remotes: Remotes, mirror: Mirror, ids: readonly string[]): Promise<void> {
  // Each commit gets a ref, so that git does not collect it as garbage.
  const refspecs = ids.map((id) => `${id}:refs/mirror/commits/${id}`);
  await remotes
    .run(mirror, (url) => ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', url, ...refspecs], {
      timeoutMs: fetchTimeoutMs,
    })
    .catch((error: unknown) => {
      const [first = ''] = ids;
      if (!isUnknownCommit(error)) throw error;
      const named = /[0-9a-f]{40}/.exec(String(error instanceof Error ? error.message : error))?.[0];
      throw new CommitMissing(named ?? first, { cause: error });
    });
}

async function hasFetched(fetching: Promise<unknown>): Promise<boolean> {
  try {
    await fetching;
    return true;
  } catch (error) {
    if (error instanceof CommitMissing) return false;
    throw error;
  }
}

function createRepairs({ dataDir, clock }: MirrorOptions): Mirrors['repairing'] {
  const brokenAt = new Map<string, number>();
  return async (repository, work) => {
    try {
      return await work();
    } catch (error) {
      const stderr = stderrOf(error);
      const directory = mirrorDirectory(dataDir, repository);
      if (isLocked(stderr)) await git.removeStaleLocks(directory, locksOlderThanMs);
      const message = isBroken(stderr) ? stderr.trim().slice(0, 200) : null;
      const now = clock().getTime();
      if (message === null || now - (brokenAt.get(directory) ?? -Infinity) < cloneAgainMs) throw error;
      brokenAt.set(directory, now);
      await removeMirror(directory);
      throw new HostUnavailable(`The mirror of ${nameOf(repository)} was broken, and is cloned again: ${message}`, {
        cause: error,
        retryAt: clock().getTime() + 1_000,
      });
    }
  };
}

function nameOf({ owner, name }: Pick<HostRepository, 'owner' | 'name'>): string {
  return `${owner}/${name}`;
}

async function withinCloneWait<T>(work: Promise<T>, clock: () => Date, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new HostUnavailable(message, { retryAt: clock().getTime() + cloneWaitMs }));
    timer = setTimeout(giveUp, cloneWaitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
