// A lock among the processes of this machine: a file that names its owner. The lock only avoids double work, and
// correctness must not depend on it. A lock of a dead process counts as free, and so does a lock that is older than two
// hours.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, machineName } from './process.ts';

interface Owner {
  readonly machine: string;
  readonly pid: number;
  /** Distinguishes this process from an earlier process with the same pid. */
  readonly process: string;
}

const thisProcess: Owner = { machine: machineName(), pid: process.pid, process: randomUUID() };
const pollMs = 50;
/** Longer than any work that is done under a lock. */
const longestHeldMs = 2 * 60 * 60_000;

/**
 * Waits for the lock at most `waitMs`, and then does the work. Null: another process held the lock for the whole time.
 */
export async function underMachineLock<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T | null> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const end = Date.now() + waitMs;
  while (!(await take(path))) {
    if (Date.now() >= end) return null;
    await pause(pollMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Creates the lock file by a link to a finished file, so that no process reads a half-written one. False: another
 * process holds the lock.
 */
async function take(path: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify(thisProcess));
  try {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      if (await linkUnlessThere(own, path)) return true;
      if (!(await removeAbandoned(path, own))) return false;
    }
    return false;
  } finally {
    await rm(own, { force: true });
  }
}

async function linkUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

async function removeAbandoned(path: string, own: string): Promise<boolean> {
  const held = await readFile(path, 'utf8').catch(() => null);
  const since = (await stat(path).catch(() => null))?.mtimeMs;
  if (held === null || since === undefined) return true;
  if (Date.now() - since < longestHeldMs && !isDead(held)) return false;
  const aside = `${own}.dead`;
  await rename(path, aside).catch(() => {});
  const moved = await readFile(aside, 'utf8').catch(() => null);
  // Another process has removed the abandoned lock first, and the moved file is the lock of a living process. It is put
  // back.
  if (moved !== null && moved !== held) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
  return true;
}

function isDead(text: string): boolean {
  try {
    const owner = JSON.parse(text) as Owner;
    if (owner.machine !== thisProcess.machine) return false;
    return owner.pid === process.pid ? owner.process !== thisProcess.process : !isAlive(owner.pid);
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}
