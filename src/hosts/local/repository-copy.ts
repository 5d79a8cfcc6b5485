// A copy of a repository that is in use. Its refs are of one moment; its objects are those of that moment and later, as
// nothing removes objects here.
import { cp, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createGit, type Git } from '../git/index.ts';

export interface CopiedRepository {
  readonly accountId: string;
  readonly id: string;
}

const lookAgainMs = 50;
/** Longer than it takes until the half-done update of a worker that died is completed. */
const longestWaitMs = 120_000;

/** Where the local host keeps a repository, below the data directory. */
export function repositoryPath({ accountId, id }: CopiedRepository): string {
  return join('git', accountId, `${id}.git`);
}

export function gitOf(dataDir: string): Git {
  return createGit(join(dataDir, 'git', 'gitconfig'));
}

/** False: the repository is not there, because it was deleted meanwhile. */
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
  // Proves that every ref has its history here.
  await git.run(to, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress']);
  return true;
}

const mostTries = 5;

async function copyFiles(from: string, to: string, triesLeft = mostTries): Promise<void> {
  try {
    await cp(from, to, { recursive: true, filter: (path) => isCopied(path.slice(from.length)) });
  } catch (error) {
    // A push has ended meanwhile, and a file of its own is gone.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || triesLeft <= 1) throw error;
    await copyFiles(from, to, triesLeft - 1);
  }
}

/**
 * Whether the file is copied. Refs are written separately, as they were read. Drafts and locks belong to processes and
 * are left out.
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

// A landing moves several refs, and git renames one file after the other. No note of such an update before and after,
// and the same refs twice, means that none of them was moving.
async function readRefsAtRest(git: Git, directory: string): Promise<readonly RefRead[]> {
  const end = Date.now() + longestWaitMs;
  for (;;) {
    const atRest = !(await isUpdating(directory));
    const first = await listRefs(git, directory);
    const second = await listRefs(git, directory);
    if (atRest && first === second && !(await isUpdating(directory))) return parseRefs(first);
    if (Date.now() > end) throw new Error(`The refs of ${directory} do not come to rest. Try the backup again.`);
    await pause(lookAgainMs);
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
