// The lock of the data directory, so that only one Interlock runs on it, and the file that says how to reach this
// Interlock.
import { link, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDataDirectory } from './data-directory.ts';
import { parseJson, readJsonFile, replaceFile, writeSynced } from './durable-file.ts';
import { processStartedAt } from './processes.ts';
import { StartError } from './start-error.ts';

/**
 * The content of `<data>/access.json`, which exists while the service is ready. Only the owner of the file can read it.
 */
export interface Access {
  readonly url: string;
  readonly token: string;
  readonly temporalUi: string;
}

export interface DataDirectoryLock {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

const accessFile = (dataDir: string) => join(dataDir, 'access.json');

export async function writeAccess(dataDir: string, access: Access): Promise<void> {
  await replaceFile(accessFile(dataDir), `${JSON.stringify(access, null, 2)}\n`);
}

export async function readAccess(dataDir: string): Promise<Access | null> {
  return await readJsonFile<Access>(accessFile(dataDir));
}

export async function removeAccess(dataDir: string): Promise<void> {
  await rm(accessFile(dataDir), { force: true });
}

/**
 * Locks the data directory, and makes it if it does not exist. A lock whose process has ended is replaced. Throws
 * StartError if another Interlock runs on the directory.
 */
export async function lockDataDirectory(dataDir: string): Promise<DataDirectoryLock> {
  const folder = resolve(dataDir);
  await makeDataDirectory(folder);
  const lock = join(folder, 'lock');
  const own = JSON.stringify({
    pid: process.pid,
    startedAt: (await processStartedAt(process.pid)) ?? '',
  } satisfies Holder);
  const draft = `${lock}.${process.pid}`;
  await writeSynced(draft, own);
  try {
    while (!(await linkIfAbsent(draft, lock))) await removeStaleLock(folder, lock);
  } finally {
    await rm(draft, { force: true });
  }
  await removeAccess(folder);
  return {
    async release() {
      if ((await readFile(lock, 'utf8').catch(() => '')) === own) await rm(lock, { force: true });
    },
  };
}

async function removeStaleLock(folder: string, lock: string): Promise<void> {
  const content = await readFile(lock, 'utf8').catch(() => null);
  if (content === null) return;
  const holder = parseJson(content) as Holder | null;
  if (holder !== null && (await processStartedAt(holder.pid)) === holder.startedAt) {
    const access = await readAccess(folder);
    throw new StartError(
      `Interlock already runs on ${folder}${access ? `: ${access.url}` : ', and is starting or stopping'} (process ${holder.pid}). Stop it, or use another directory by --data <dir>.`,
    );
  }
  // Two starts may find the same stale lock, and the slower start could remove the new lock of the faster. Therefore
  // the lock is moved aside first, and put back if its content has changed.
  const aside = `${lock}.${process.pid}.stale`;
  await rename(lock, aside).catch(() => undefined);
  if ((await readFile(aside, 'utf8').catch(() => content)) !== content) await linkIfAbsent(aside, lock);
  await rm(aside, { force: true });
}

async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
