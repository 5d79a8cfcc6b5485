// git's own multi-ref transaction checks and locks every ref before it moves the first, but then renames one lock
// file after the other: a git killed between two renames leaves half of it. The new values of the refs are therefore
// written down first, and a process that finds the note of a dead one completes its move.
// Branches move before other refs, so a half-done landing always stands on its branch and can be rolled forward.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RefUpdate } from '../port.ts';
import { isAlive, machineName } from '../../platform/process.ts';

export interface JournalEntry {
  /** On which `pid` means something. Absent in notes of earlier versions, which were written on this one. */
  readonly machine?: string;
  readonly pid: number;
  /** Distinguishes this process from an earlier process with the same pid. */
  readonly process: string;
  readonly writtenAt: number;
  readonly updates: readonly RefUpdate[];
}

const thisProcess = randomUUID();
const folder = (directory: string): string => join(directory, 'interlock-updates');

/** Writes the note durably and returns its path. */
export async function noteUpdates(directory: string, updates: readonly RefUpdate[]): Promise<string> {
  await mkdir(folder(directory), { recursive: true });
  const path = join(folder(directory), `${randomUUID()}.json`);
  const entry: JournalEntry = {
    machine: machineName(),
    pid: process.pid,
    process: thisProcess,
    writtenAt: Date.now(),
    updates,
  };
  await writeDurably(path, JSON.stringify(entry));
  await syncFolder(folder(directory));
  return path;
}

export async function forgetUpdates(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Notes whose writer is gone, or which are older than a minute: no update of refs takes that long. */
export async function abandonedUpdates(directory: string): Promise<{ path: string; updates: readonly RefUpdate[] }[]> {
  const names = await readdir(folder(directory)).catch(() => []);
  const found = [];
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    const path = join(folder(directory), name);
    const entry = await readEntry(path);
    // A note that was not written to its end belongs to an update that never began.
    if (entry === null) await forgetUpdates(path);
    else if (isAbandoned(entry)) found.push({ path, updates: entry.updates });
  }
  return found;
}

function isAbandoned(entry: JournalEntry): boolean {
  if (Date.now() - entry.writtenAt > 60_000) return true;
  // Containers that share a disk each count their own processes, so this container cannot know whether that process
  // lives.
  if (entry.machine !== undefined && entry.machine !== machineName()) return false;
  return entry.pid === process.pid ? entry.process !== thisProcess : !isAlive(entry.pid);
}

async function readEntry(path: string): Promise<JournalEntry | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JournalEntry;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    // Forgotten by its writer meanwhile: nothing is left to complete.
    return { pid: process.pid, process: thisProcess, writtenAt: Date.now(), updates: [] };
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
