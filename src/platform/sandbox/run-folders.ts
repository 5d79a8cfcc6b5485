// The folders of runs. The name of a run's folder contains the id of the process that made it, so that folders of
// killed processes are recognised.
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from '../process.ts';
import type { RunFolders } from './port.ts';

/** Makes the folders of one run inside `parent`. The command's user can enter `parent`, but cannot list it. */
export async function makeRunFolders(parent: string): Promise<RunFolders> {
  const folders = {
    root: join(parent, 'root'),
    checkout: join(parent, 'checkout'),
    home: join(parent, 'home'),
    tmp: join(parent, 'tmp'),
  };
  await chmod(parent, 0o711);
  for (const folder of Object.values(folders)) await mkdir(folder);
  return folders;
}

/** A path in the run's folder that the command does not see, unless the run shows it. */
export function besideRoot({ root }: RunFolders, name: string): string {
  return join(dirname(root), name);
}

/** Makes the folders of a run below `workDir`, and removes them when the work has ended. */
export async function withRunFolders<T>(workDir: string, work: (folders: RunFolders) => Promise<T>): Promise<T> {
  return await withProcessFolder(workDir, async (parent) => await work(await makeRunFolders(parent)));
}

// Names of folders that this process made. An earlier process may have had the same id, for example as the first
// process of a container.
const madeHere = new Set<string>();

/**
 * Makes a folder below `workDir`, and removes it when the work has ended. If this process is killed, the folder stays,
 * and `removeAbandonedFolders` removes it.
 */
export async function withProcessFolder<T>(workDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  // The name is short, because the path of a socket in the folder may have at most 107 bytes.
  const name = `interlock-run-${process.pid}-${randomBytes(4).toString('base64url')}`;
  const folder = join(workDir, name);
  madeHere.add(name);
  try {
    await mkdir(folder, { mode: 0o700 });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    madeHere.delete(name);
  }
}

/**
 * Removes folders below `workDir` whose processes no longer exist. The folders of other users of the machine stay, and
 * so does a folder that cannot be removed.
 */
export async function removeAbandonedFolders(workDir: string): Promise<void> {
  for (const name of await readdir(workDir)) {
    const pid = /^interlock-run-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isInUse(name, Number(pid))) continue;
    const folder = join(workDir, name);
    // Another user could replace a part of his folder by a link to other files during the removal.
    if (await isOwnFolder(folder)) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function isOwnFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found !== null && found.isDirectory() && found.uid === process.geteuid?.();
}

function isInUse(name: string, pid: number): boolean {
  return pid === process.pid ? madeHere.has(name) : isAlive(pid);
}
