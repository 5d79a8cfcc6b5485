// Copies a repository that is in use. The refs of the copy are from one moment. Its objects include all objects of that
// moment, because no object is ever removed.
import { cp, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createGit, type Git } from '../git/index.ts';

export interface CopiedRepository {
  readonly accountId: string;
  readonly id: string;
}

const pollMs = 50;
/** Longer than the time until the half-done ref update of a worker that died is completed. */
const longestWaitMs = 120_000;

/** The path of a repository of the local host, relative to the data directory. */
export function repositoryPath({ accountId, id }: CopiedRepository): string {
  return join('git', accountId, `${id}.git`);
}

export function gitOf(dataDir: string): Git {
  return createGit(join(dataDir, 'git', 'gitconfig'));
}

/** Copies the repository. False: it does not exist, because it was deleted in the meantime. */
export async function copyRepository(git: Git, from: string, to: string): Promise<boolean> {
  const head = await readdir(from).then(
    (names) => names.includes('HEAD'),
    () => false,
  );
  if (!head) return false;
  const refs = await readRefsAtRest(git, from);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFiles(from, to);
  await mkdir(join(to, 'refs'), { recursive: true });
  await git.run(to, ['update-ref', '--stdin', '-z'], {
    stdin: refs.map(({ ref, id }) => `create ${ref}\0${id}\0`).join(''),
  });
  // Checks that the copy has the whole history of every ref.
  await git.run(to, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress']);
  return true;
}

const maxAttempts = 5;

async function copyFiles(from: string, to: string, attemptsLeft = maxAttempts): Promise<void> {
  try {
    await cp(from, to, { recursive: true, filter: (path) => isCopied(path.slice(from.length)) });
  } catch (error) {
    // A push has ended in the meantime, and its temporary file no longer exists.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attemptsLeft <= 1) throw error;
    await copyFiles(from, to, attemptsLeft - 1);
  }
}

/**
 * Whether the file is copied. Refs are left out, because they are written separately with the values that were read.
 * Temporary files and lock files of processes are left out too.
 */
function isCopied(path: string): boolean {
  const [, top = ''] = path.split('/');
  if (['refs', 'logs', 'packed-refs', 'interlock-updates'].includes(top)) return false;
  const name = basename(path);
  return !name.endsWith('.lock') && !name.startsWith('tmp_') && !name.startsWith('incoming-');
}

interface RefRead {
  readonly ref: string;
  readonly id: string;
}

// A landing moves several refs, and git renames their files one after the other. If no journal entry of an update
// exists before and after, and two reads give the same refs, no update was in progress.
async function readRefsAtRest(git: Git, directory: string): Promise<readonly RefRead[]> {
  const end = Date.now() + longestWaitMs;
  for (;;) {
    const atRest = !(await isUpdating(directory));
    const first = await listRefs(git, directory);
    const second = await listRefs(git, directory);
    if (atRest && first === second && !(await isUpdating(directory))) return parseRefs(first);
    if (Date.now() > end) throw new Error(`The refs of ${directory} change all the time. Try the backup again.`);
    await pause(pollMs);
  }
}

async function isUpdating(directory: string): Promise<boolean> {
  return (await readdir(join(directory, 'interlock-updates')).catch(() => [])).length > 0;
}

async function listRefs(git: Git, directory: string): Promise<string> {
  return await git.text(directory, ['for-each-ref', '--format=%(objectname) %(refname)']);
}

function parseRefs(text: string): RefRead[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), ref: line.slice(line.indexOf(' ') + 1) }));
}
