// Copies a repository that is in use. The refs of the copy are from one moment. Its objects include all objects of that
// moment, because no object is ever removed. Packs are copied last, because objects move from single files into packs.
import { constants, copyFile, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createGit, type Git } from '../git/index.ts';
import { pushNotes } from './push-notes.ts';

export interface CopiedRepository {
  readonly accountId: string;
  readonly id: string;
}

const pollMs = 50;
/** Longer than the time until the half-done ref update of a worker that died is completed. */
const longestWaitMs = 120_000;
/** git reads every commit and folder of the repository. */
const longestCheckMs = 3_600_000;

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
  for (const folder of ['refs', 'objects']) await mkdir(join(to, folder), { recursive: true });
  await git.run(to, ['update-ref', '--stdin', '-z'], {
    stdin: refs.map(({ ref, id }) => `create ${ref}\0${id}\0`).join(''),
  });
  // Checks that the copy has the whole history of every ref.
  await git.run(to, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'], {
    timeoutMs: longestCheckMs,
  });
  return true;
}

const maxAttempts = 5;

/**
 * A file that no longer exists is left out: it was a temporary file of a push, or an object that is in a pack by now. If
 * a pack no longer exists, its objects are in a new pack, and the packs are listed again.
 */
async function copyFiles(from: string, to: string): Promise<void> {
  const packs = join('objects', 'pack');
  const isOther = (path: string): boolean => isKept(path) && path !== packs;
  for (const path of await listFiles(from, '', isOther)) await copyOne(from, to, path);
  for (let attempt = 1; ; attempt += 1) {
    let isComplete = true;
    for (const path of await listFiles(from, packs, isKept)) isComplete = (await copyOne(from, to, path)) && isComplete;
    if (isComplete) return;
    if (attempt === maxAttempts) throw new Error(`The packs of ${from} change all the time. Try the backup again.`);
  }
}

/** The paths of files in a folder and in all folders below it, relative to `root`. */
async function listFiles(root: string, folder: string, isListed: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(noneIfMissing);
  const paths: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!isListed(path)) continue;
    if (entry.isDirectory()) paths.push(...(await listFiles(root, path, isListed)));
    else paths.push(path);
  }
  return paths;
}

/** False: the file no longer exists. */
async function copyOne(from: string, to: string, path: string): Promise<boolean> {
  const copy = join(to, path);
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  try {
    // A pack that an earlier attempt has copied has the same name, because packs never change.
    await copyFile(join(from, path), copy, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return true;
    if (code === 'ENOENT') return false;
    throw error;
  }
}

function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/**
 * Whether the file is copied. Refs are left out, because they are written separately with the values that were read.
 * Temporary files and lock files of processes are left out too.
 */
function isKept(path: string): boolean {
  const [top = ''] = path.split('/');
  if (['refs', 'logs', 'packed-refs', 'interlock-updates', pushNotes].includes(top)) return false;
  const name = basename(path);
  return !name.endsWith('.lock') && !/^(?:\.?tmp[-_]|incoming-)/.test(name);
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
