// A bare clone of each repository on this machine (ADR 0070). Commits are composed in it, and pushed from it. Its own refs
// say nothing of GitHub: those are read from GitHub each time.
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as git from '../git/index.ts';
import { CommitMissing, HostRefused, HostUnavailable, type HostRepository } from '../port.ts';
import { remoteEnvironment, type FindRemote } from './remote.ts';

export interface MirrorOptions {
  readonly dataDir: string;
  readonly git: git.Git;
  readonly findRemote: FindRemote;
}

export interface RemoteRef {
  readonly ref: string;
  readonly commit: string;
}

export interface Mirrors {
  readonly git: git.Git;
  /** The directory of the mirror. It is cloned if this machine has none yet. */
  at(repository: HostRepository): Promise<string>;
  /** Refs at GitHub: those of the patterns given, each a full name or a prefix that ends in `/`. */
  readRefs(repository: HostRepository, patterns: readonly string[]): Promise<readonly RemoteRef[]>;
  /** Fetches those of the commits that the mirror has not. Throws CommitMissing for one that GitHub has not either. */
  need(repository: HostRepository, commits: readonly string[]): Promise<string>;
  /** As `need`, and answers false where one of them is nowhere. */
  has(repository: HostRepository, commits: readonly string[]): Promise<boolean>;
  /** Runs git in the mirror with the credentials of the repository's remote. `args` are made of its address. */
  talk(
    repository: HostRepository,
    args: (url: string) => readonly string[],
    input?: { readonly accept?: readonly number[]; readonly timeoutMs?: number },
  ): Promise<git.GitOutput>;
}

const cloneTimeoutMs = 30 * 60_000;
const fetchTimeoutMs = 10 * 60_000;
const listTimeoutMs = 60_000;
/** A call waits that long for a clone that has begun, and is told to come again after it. */
const longestWaitMs = 20_000;
/** Ids in one fetch. */
const mostAtOnce = 500;

export function createMirrors(options: MirrorOptions): Mirrors {
  const clones = new Map<string, Promise<void>>();
  const directoryOf = ({ accountId, id }: HostRepository): string =>
    join(options.dataDir, 'mirrors', numeric(accountId), `${numeric(id)}.git`);

  async function talkIn(
    directory: string,
    repository: HostRepository,
    args: (url: string) => readonly string[],
    input: { readonly accept?: readonly number[]; readonly timeoutMs?: number } = {},
  ): Promise<git.GitOutput> {
    const remote = await options.findRemote(repository);
    return await options.git
      .run(directory, args(remote.url), { ...input, env: remoteEnvironment(remote) })
      .catch((error: unknown) => {
        throw asHostError(error, repository);
      });
  }

  async function clone(repository: HostRepository, directory: string): Promise<void> {
    // Another process of this machine may clone it too: the first one that is complete stays.
    const draft = `${directory}.${process.pid}.draft`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    try {
      await options.git.run(draft, ['init', '--quiet', '--bare', '.']);
      const refspecs = ['+refs/heads/*:refs/mirror/heads/*', '+refs/interlock/*:refs/mirror/interlock/*'];
      await talkIn(draft, repository, (url) => ['fetch', '--quiet', '--no-tags', '--force', url, ...refspecs], {
        timeoutMs: cloneTimeoutMs,
      });
      await rename(draft, directory).catch(async (error: unknown) => {
        if (!(await exists(directory))) throw error;
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async function at(repository: HostRepository): Promise<string> {
    const directory = directoryOf(repository);
    if (await exists(directory)) return directory;
    let cloning = clones.get(directory);
    if (cloning === undefined) {
      cloning = clone(repository, directory).finally(() => clones.delete(directory));
      cloning.catch(() => {});
      clones.set(directory, cloning);
    }
    await within(cloning, longestWaitMs, `${repository.owner}/${repository.name} is being cloned`);
    return directory;
  }

  async function missing(directory: string, commits: readonly string[]): Promise<string[]> {
    const there = await Promise.all(
      commits.map(async (id) => (await git.readObjectHeader(options.git, directory, git.objectId(id))) !== null),
    );
    return commits.filter((_commit, index) => !there[index]);
  }

  async function need(repository: HostRepository, commits: readonly string[]): Promise<string> {
    const directory = await at(repository);
    const absent = await missing(directory, [...new Set(commits)]);
    for (let from = 0; from < absent.length; from += mostAtOnce)
      await fetchCommits(repository, directory, absent.slice(from, from + mostAtOnce));
    return directory;
  }

  async function fetchCommits(repository: HostRepository, directory: string, ids: readonly string[]): Promise<void> {
    // Each gets a ref, without which git would collect it.
    const refspecs = ids.map((id) => `${id}:refs/mirror/commits/${id}`);
    await talkIn(
      directory,
      repository,
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

  return {
    git: options.git,
    at,
    need,
    async has(repository, commits) {
      try {
        await need(repository, commits);
        return true;
      } catch (error) {
        if (error instanceof CommitMissing) return false;
        throw error;
      }
    },
    async readRefs(repository, patterns) {
      const directory = await at(repository);
      // The pattern of a prefix also matches deeper names, so that what is answered is looked through below.
      const asked = patterns.map((pattern) => (pattern.endsWith('/') ? `${pattern}*` : pattern));
      const { stdout } = await talkIn(directory, repository, (url) => ['ls-remote', '--refs', url, ...asked], {
        timeoutMs: listTimeoutMs,
      });
      return parseRefs(stdout.toString('utf8')).filter(({ ref }) =>
        patterns.some((pattern) => (pattern.endsWith('/') ? ref.startsWith(pattern) : ref === pattern)),
      );
    },
    talk: async (repository, args, input) => await talkIn(await at(repository), repository, args, input),
  };
}

export function parseRefs(text: string): RemoteRef[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [commit = '', ref = ''] = line.split('\t');
      return { ref, commit };
    });
}

/** What git says when GitHub has no such object. */
function isUnknownCommit(error: unknown): boolean {
  const words = error instanceof Error ? error.message : '';
  return /not our ref|couldn't find remote ref|unadvertised object|bad object|did not send all necessary objects/i.test(
    words,
  );
}

/** git's failures at GitHub, in the words of the port. Nothing begun is given up because of a lost access. */
export function asHostError(error: unknown, { owner, name }: Pick<HostRepository, 'owner' | 'name'>): unknown {
  if (!(error instanceof git.GitFailed)) return error;
  const words = error.stderr.trim();
  if (isUnknownCommit(error)) return new HostUnavailable(words, { cause: error });
  if (/repository '.*' not found|returned error: 404/i.test(words))
    return new HostUnavailable(
      `GitHub has no ${owner}/${name} that the App may see: was it renamed, deleted or taken out of the installation?`,
      { cause: error },
    );
  if (/unable to update url base from redirection|returned error: 30\d/i.test(words))
    return new HostUnavailable(`${owner}/${name} was renamed or moved at GitHub`, { cause: error });
  if (/Authentication failed|returned error: 40[13]|could not read Username/i.test(words))
    return new HostUnavailable(`GitHub refused the App's token for ${owner}/${name}`, { cause: error });
  return new HostUnavailable(error.message, { cause: error });
}

async function within<T>(work: Promise<T>, ms: number, words: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new HostUnavailable(words, { retryAt: Date.now() + ms })), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

function numeric(id: string): string {
  if (!/^[0-9]{1,19}$/.test(id)) throw new HostRefused(`${JSON.stringify(id)} is not an id`);
  return id;
}
