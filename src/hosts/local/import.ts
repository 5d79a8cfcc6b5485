// Imports the branches and tags of any repository that git can fetch from.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { passFailpoint } from '../../platform/failpoints.ts';
import { branchOf, GitFailed, isBotBranch, isTemporaryBranch, listRefs } from '../git/index.ts';
import { HostRefused, HostUnavailable, type HostRepository, type ImportedRepository } from '../port.ts';
import { followRefChanges } from './changes.ts';
import type { Installation } from './installation.ts';
import { ensureRepository } from './repositories.ts';

// Protocols such as `ext::` and `fd::` are left out, because they run commands.
const transport = { GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' };
const longFetchMs = 3600_000;

export async function importRepository(
  installation: Installation,
  repository: HostRepository,
  {
    source,
    onlyForward,
    required,
    whenFetched,
    onProgress,
  }: {
    readonly source: string;
    /** Branches from which the import takes no commit. */
    readonly onlyForward: readonly string[];
    /** A branch that the source must have. Null: the source may have any branches. */
    readonly required: string | null;
    readonly whenFetched: (imported: ImportedRepository) => Promise<void>;
    /** Receives each line of git's progress. */
    readonly onProgress?: ((line: string) => void) | undefined;
  },
): Promise<ImportedRepository> {
  const from = locationOf(source);
  const { defaultBranch, branches: offered } = await readSource(installation, from);
  if (required !== null && !offered.includes(required))
    throw new HostRefused(
      `${source} has no branch ${required}, into which the queue of ${repository.owner}/${repository.name} lands. Nothing was imported. Push ${required} to the source first, or import under another name.`,
    );
  await ensureRepository(installation, repository, { defaultBranch });
  await passFailpoint('import:made');
  const directory = installation.directoryOf(repository);
  const before = new Map((await listRefs(directory, 'refs/heads/')).map(({ ref, commit }) => [ref, commit]));
  const forward = offered.filter((branch) => onlyForward.includes(branch));
  await fetchRefs(installation, directory, { source, from, forward, onProgress });
  const [branches, tags] = await Promise.all(
    ['refs/heads/', 'refs/tags/'].map(async (prefix) => await listRefs(directory, prefix)),
  );
  const changes = (branches ?? [])
    .map(({ ref, commit }) => ({ ref, from: before.get(ref) ?? null, to: commit }))
    .filter(({ from: old, to }) => old !== to);
  const imported = { defaultBranch, branches: branches?.length ?? 0, tags: tags?.length ?? 0 };
  await whenFetched(imported);
  await followRefChanges(installation, repository, { changes, by: 'push' });
  return imported;
}

/** First the branches that only move forward, so that a refusal leaves everything as it was. */
async function fetchRefs(
  { git }: Installation,
  directory: string,
  {
    source,
    from,
    forward,
    onProgress,
  }: {
    readonly source: string;
    readonly from: string;
    readonly forward: readonly string[];
    readonly onProgress: ((line: string) => void) | undefined;
  },
): Promise<void> {
  const progress = onProgress === undefined ? {} : { onStderr: linesOf(onProgress) };
  const fetch = async (verbosity: '--quiet' | '--progress' | '--no-progress', refs: readonly string[]): Promise<void> =>
    await runAgainst(source, async () => {
      await git.run(directory, ['fetch', verbosity, ...fetchOptions, from, ...refs], {
        timeoutMs: longFetchMs,
        env: transport,
        ...progress,
      });
    });
  // Without `+`, git compares each branch with its old value, so that a landing at this moment is not lost either. It
  // reports a branch that lacks commits unless it is quiet.
  if (forward.length > 0)
    await fetch(
      onProgress === undefined ? '--no-progress' : '--progress',
      forward.map((branch) => `refs/heads/${branch}:refs/heads/${branch}`),
    );
  await fetch(onProgress === undefined ? '--quiet' : '--progress', [
    '+refs/heads/*:refs/heads/*',
    '+refs/tags/*:refs/tags/*',
    '^refs/heads/mq-*',
    ...forward.map((branch) => `^refs/heads/${branch}`),
  ]);
}

const fetchOptions = [
  '--atomic',
  '--no-tags',
  '--no-write-fetch-head',
  '--update-head-ok',
  // Without this option, git silently skips the refs of a shallow source. With this option, git fetches the history
  // that the source has.
  '--update-shallow',
];

/**
 * Returns a function that takes git's output in pieces, and calls `each` for each complete line. Git overwrites a line
 * of progress after a carriage return, so this character ends a line too.
 */
function linesOf(each: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const parts = `${rest}${text}`.split(/[\r\n]+/);
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.trim() !== '') each(part.trim());
  };
}

// ssh reads a host that begins with a hyphen as an option.
const optionAsHost = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?-/i;

function locationOf(source: string): string {
  const trimmed = source.trim();
  if (trimmed === '' || trimmed.includes('::') || optionAsHost.test(trimmed) || /[\x00-\x1f\x7f]/.test(trimmed))
    throw new HostRefused(`${JSON.stringify(source)} is neither a URL nor a path of a git repository`);
  // `host:path` without a scheme means ssh to git, unless a file with this name exists.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) || (!existsSync(trimmed) && /^[^/]+:/.test(trimmed))) return trimmed;
  const path = resolve(trimmed);
  if (!existsSync(path)) throw new HostRefused(`${path} does not exist`);
  return path;
}

/** The branches of the source, and the branch of its HEAD, or else `main`, `master` or the first branch. */
async function readSource(
  installation: Installation,
  from: string,
): Promise<{ readonly defaultBranch: string; readonly branches: readonly string[] }> {
  const { git, dataDir } = installation;
  const listing = await runAgainst(
    from,
    async () =>
      await git.text(dataDir, ['ls-remote', '--symref', '--', from, 'HEAD', 'refs/heads/*'], {
        timeoutMs: 120_000,
        env: transport,
      }),
  );
  const lines = listing.split('\n').map((line) => line.split('\t'));
  const branches = lines
    .map(([, ref]) => branchOf(ref ?? ''))
    .filter((branch) => branch !== null)
    .filter((branch) => !isBotBranch(branch) && !isTemporaryBranch(branch));
  const head = branchOf(
    lines.find(([what, ref]) => ref === 'HEAD' && what?.startsWith('ref: '))?.[0]?.slice('ref: '.length) ?? '',
  );
  const chosen = [head, 'main', 'master', branches[0]].find((branch) => branch && branches.includes(branch));
  if (!chosen) throw new HostRefused(`${from} has no branches to import`);
  return { defaultBranch: chosen, branches };
}

async function runAgainst<T>(source: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    const behind = / ! \[rejected\] +(\S+) +-> .*\(non-fast-forward\)/.exec(error.stderr)?.[1];
    if (behind !== undefined)
      throw new HostRefused(
        `${behind} of ${source} lacks commits that ${behind} has here, and an import takes no commits off a branch of landings or of an open pull request. Nothing was imported. Push ${behind} to the source first, or import under another name.`,
      );
    const message =
      error.stderr
        .trim()
        .split(/[\r\n]+/)
        .find((line) => line.startsWith('fatal: ')) ?? error.message;
    const isHostFailure = /No space left|out of memory/i.test(error.stderr);
    throw isHostFailure
      ? new HostUnavailable(message)
      : new HostRefused(`${source} could not be read: ${message.replace(/^fatal: /, '')}`);
  }
}
