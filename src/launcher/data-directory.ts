// Makes and clears the data directory. It is made one level at a time, because `mkdir` with `recursive` never returns for
// a path below /proc.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { logFiles } from './log-files.ts';
import { removeCluster } from './postgres-cluster.ts';
import { StartError } from './start-error.ts';

const cure = 'Name another directory by --data <dir> (INTERLOCK_DATA).';

/** Makes the data directory if it does not exist. Throws StartError if it cannot be used. */
export async function makeDataDirectory(folder: string): Promise<void> {
  await make(folder, folder);
  const probe = join(folder, `.writable-${process.pid}`);
  await writeFile(probe, '').catch(({ code }: NodeJS.ErrnoException) => {
    throw new StartError(`The data directory ${folder} cannot be written to (${code}). ${cure}`);
  });
  await rm(probe, { force: true });
}

/**
 * Whether `npm start` uses the directory or has used it, or whether it was restored from a backup of such a directory.
 * Separate servers and workers write none of these files.
 */
export function isDirectoryOfStart(folder: string): boolean {
  return ['secrets.json', 'token', 'postgres-password'].some((name) => existsSync(join(folder, name)));
}

/**
 * Deletes the data in the data directory, but keeps its lock. Throws StartError if the directory contains files of
 * something else.
 */
export async function clearDataDirectory(dataDir: string): Promise<void> {
  if (!isDirectoryOfStart(dataDir) && (await readdir(dataDir)).some((name) => name !== 'lock'))
    throw new StartError(
      `${dataDir} contains files, but is not a data directory of Interlock. Give the data directory with --data <dir>, or start without --reset.`,
    );
  await removeCluster(dataDir);
  for (const name of [
    'git',
    'logs',
    'mirrors',
    'github-emulator',
    'github-token',
    'secrets.json',
    'token',
    'temporal.db',
    'temporal.db-wal',
    'temporal.db-shm',
    'temporal-ports.json',
    ...logFiles,
  ]) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

async function make(folder: string, wanted: string): Promise<void> {
  const code = await tryToMake(folder);
  if (code === null) return;
  if (code === 'EEXIST') {
    if (await isDirectory(folder)) return;
    const what = folder === wanted ? 'is a file and no directory' : `cannot be made: ${folder} is a file`;
    throw new StartError(`The data directory ${wanted} ${what}. ${cure}`);
  }
  const parent = dirname(folder);
  if ((code === 'ENOENT' || code === 'ENOTDIR') && parent !== folder && !(await isDirectory(parent))) {
    await make(parent, wanted);
    return await make(folder, wanted);
  }
  throw new StartError(`The data directory ${wanted} cannot be made (${code}). ${cure}`);
}

/** Makes a folder. Returns null, or the code of the error. */
async function tryToMake(folder: string): Promise<string | null> {
  try {
    await mkdir(folder);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
