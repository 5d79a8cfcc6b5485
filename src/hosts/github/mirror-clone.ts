// The files of a mirror. A mirror is cloned completely or not at all, and is renamed before it is removed.
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostRefused, HostUnavailable, type HostRepository } from '../port.ts';
import { underMachineLock } from '../../platform/machine-lock.ts';

export const cloneTimeoutMs = 30 * 60_000;

/** A file whose modification time is the last use of the mirror. */
export const usedFile = 'interlock-used';

export function mirrorsFolder(dataDir: string): string {
  return join(dataDir, 'mirrors');
}

export function mirrorDirectory(dataDir: string, { accountId, id }: Pick<HostRepository, 'accountId' | 'id'>): string {
  return join(mirrorsFolder(dataDir), requireNumber(accountId), `${requireNumber(id)}.git`);
}

function requireNumber(id: string): string {
  if (!/^[0-9]{1,19}$/.test(id)) throw new HostRefused(`${JSON.stringify(id)} is not an id`);
  return id;
}

export async function mirrorExists(directory: string): Promise<boolean> {
  return (await stat(join(directory, 'HEAD')).catch(() => null)) !== null;
}

/**
 * Clones a mirror if it does not exist. `fill` makes the clone in an empty folder. If several processes of this machine
 * need the mirror, one of them clones and the others wait.
 */
export async function cloneOnce(directory: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const done = await underMachineLock(`${directory}.lock`, cloneTimeoutMs, async () => {
    if (await mirrorExists(directory)) return true;
    const draft = `${directory}.new-${randomUUID()}`;
    await mkdir(draft, { recursive: true });
    try {
      await fill(draft);
      await rename(draft, directory);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    return true;
  });
  if (done === null) throw new HostUnavailable('Another process of this machine is still cloning the mirror');
}

/**
 * Renames the mirror before it is deleted, so that a git process that still uses it finds no half-deleted repository.
 */
export async function removeMirror(directory: string): Promise<void> {
  const renamed = `${directory}.removed-${randomUUID()}`;
  await mkdir(dirname(directory), { recursive: true });
  await rename(directory, renamed).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(renamed, { recursive: true, force: true, maxRetries: 3 });
}

export async function noteUse(directory: string, at: Date): Promise<void> {
  const path = join(directory, usedFile);
  await writeFile(path, '', { flag: 'a' });
  await utimes(path, at, at);
}

/** git holds a lock only for a moment. An older lock file belongs to a git process that was killed. */
export const locksOlderThanMs = 60_000;

/** Whether an error output of git says that it found a lock file. */
export function isLocked(message: string): boolean {
  return /Unable to create '.*\.lock': File exists/.test(message);
}

/**
 * Whether an error output of git says that the repository on the disk is damaged. False if it says that GitHub cannot
 * be reached.
 */
export function isBroken(message: string): boolean {
  if (/unable to access|Could not resolve|remote error|remote:/i.test(message)) return false;
  return /not a git repository|object file .* is empty|loose object .* is corrupt|packfile .* (cannot be|is truncated|claims|does not match)|index file .* (is too small|is corrupt)|unable to read tree|inflate: data stream error|packed object .* is corrupt|unknown index entry format|pack .* is corrupt|invalid sha1 pointer|bad object refs\//i.test(
    message,
  );
}
