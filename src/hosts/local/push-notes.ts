// Notes of the moves of branches that a push asks for. A push merges the pull requests whose heads the base branch then
// contains, and this can only be decided with the old tip of the base branch, which git forgets. So the move is noted
// before git moves the branch. If the process is killed, or the database does not answer, the note stays, and the
// reconciler carries out what is left.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDead, thisProcess, type Writer } from '../../platform/process.ts';
import { branchOf } from '../git/index.ts';

/** The folder of the notes in the bare repository. */
export const pushNotes = 'interlock-pushes';
/** No push takes so long. The branch of an older note was not moved. */
const longestPushMs = 24 * 60 * 60_000;
/** How long git may go on with a push after the process that started it was killed. */
const gitEndsWithinMs = 2 * 60_000;
/** The end of the name of a note whose process was found dead. The time of the file is then the time of this find. */
const orphaned = '.orphaned';

/** `from` is null: the push makes the ref. `to` is null: the push deletes it. */
export interface RefChange {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface PushNote {
  readonly path: string;
  readonly changes: readonly RefChange[];
  /** Whether the push has ended, so that its branches do not move any more. */
  readonly isOver: boolean;
}

/** A change in a file. A note is a list of them, because earlier versions read it as one, and they name no writer. */
type NotedChange = RefChange & { readonly by?: Writer };

/** Returns the path of the note. Null: the push moves no branch that a pull request may have as its base. */
export async function notePush(directory: string, changes: readonly RefChange[]): Promise<string | null> {
  const noted = changes.filter(({ ref, from, to }) => branchOf(ref) !== null && from !== null && to !== null);
  if (noted.length === 0) return null;
  await mkdir(join(directory, pushNotes), { recursive: true });
  const path = join(directory, pushNotes, `${randomUUID()}.json`);
  await writeFile(path, JSON.stringify(noted.map((change): NotedChange => ({ ...change, by: thisProcess }))));
  return path;
}

export async function removePushNote(path: string): Promise<void> {
  await rm(path, { force: true });
}

export async function findPushNotes(directory: string): Promise<PushNote[]> {
  const names = await readdir(join(directory, pushNotes)).catch(() => []);
  const found: PushNote[] = [];
  for (const name of names) {
    const path = join(directory, pushNotes, name);
    // A push that ends at this moment removes its note.
    const written = await stat(path).catch(() => null);
    if (written === null) continue;
    const changes = await readChanges(path);
    const isOrphaned = changes.some(({ by }) => by !== undefined && isDead(by));
    const isMarked = name.endsWith(orphaned);
    if (isOrphaned && !isMarked) {
      found.push({ path: await markOrphaned(path), changes, isOver: false });
      continue;
    }
    const lastsMs = isOrphaned ? gitEndsWithinMs : longestPushMs;
    found.push({ path, changes, isOver: Date.now() - written.mtimeMs > lastsMs });
  }
  return found;
}

async function markOrphaned(path: string): Promise<string> {
  const marked = `${path}${orphaned}`;
  const now = new Date();
  try {
    await utimes(path, now, now);
    await rename(path, marked);
  } catch (error) {
    // Another process has marked the note first.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return marked;
}

/** An incomplete note belongs to a push that has not moved a branch. */
async function readChanges(path: string): Promise<readonly NotedChange[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as readonly NotedChange[];
  } catch {
    return [];
  }
}
