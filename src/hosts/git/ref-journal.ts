// A journal of multi-ref updates. A transaction of git checks and locks every ref before it moves the first one. Then
// it renames one lock file after the other. If git is killed between two renames, only some refs have moved. So the new
// values of the refs are first written to a journal entry, and another process completes the update from this entry.
// Branches move before other refs, so a half-done landing has always moved its branch, and can be completed.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RefUpdate } from '../port.ts';
import { isDead, thisProcess, type Writer } from '../../platform/process.ts';
import { readDiskTime } from './disk-time.ts';

export interface JournalEntry extends Writer {
  /** By the clock of the machine. Only earlier versions read it. */
  readonly writtenAt: number;
  readonly updates: readonly RefUpdate[];
}

const folder = (directory: string): string => join(directory, 'interlock-updates');

/** Writes an entry, syncs it to the disk and returns its path. */
export async function noteUpdates(directory: string, updates: readonly RefUpdate[]): Promise<string> {
  await mkdir(folder(directory), { recursive: true });
  const path = join(folder(directory), `${randomUUID()}.json`);
  const entry: JournalEntry = { ...thisProcess, writtenAt: Date.now(), updates };
  await writeDurably(path, JSON.stringify(entry));
  await syncFolder(folder(directory));
  return path;
}

export async function removeEntry(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** No update of refs takes so long. */
const longestUpdateMs = 60_000;

/** The entries whose process has died, or that are older than a minute by the clock of the disk. */
export async function findAbandonedUpdates(
  directory: string,
): Promise<{ path: string; updates: readonly RefUpdate[] }[]> {
  const names = await readdir(folder(directory)).catch(() => []);
  const found = [];
  let now: number | undefined;
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    const path = join(folder(directory), name);
    const entry = await readEntry(path);
    const written = await stat(path).catch(() => null);
    // The writer has removed the entry in the meantime, so there is nothing to complete.
    if (entry === 'removed' || written === null) continue;
    const isOld = async (): Promise<boolean> => {
      now ??= await readDiskTime(directory);
      return now - written.mtimeMs > longestUpdateMs;
    };
    // The update of an incomplete entry has not started. Its process may be writing it at this moment.
    if (entry === null) {
      if (await isOld()) await removeEntry(path);
    } else if (isDead(entry) || (await isOld())) found.push({ path, updates: entry.updates });
  }
  return found;
}

async function readEntry(path: string): Promise<JournalEntry | 'removed' | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JournalEntry;
  } catch (error) {
    return error instanceof SyntaxError ? null : 'removed';
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
