// Where one run works. Its folder is named by the process that made it, so that what a killed one left is known as
// such.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from '../process.ts';
import type { RunFolders } from './port.ts';

/** Fresh folders for one run inside `parent`, which the user of the command may pass through. */
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

/** A path of the run that its command does not see, unless it is shown. */
export function besideRoot({ root }: RunFolders, name: string): string {
  return join(dirname(root), name);
}

/** Folders below `workDir` for as long as the work lasts. */
export async function withRunFolders<T>(workDir: string, work: (folders: RunFolders) => Promise<T>): Promise<T> {
  return await withProcessFolder(workDir, async (parent) => await work(await makeRunFolders(parent)));
}

// Folders of this very process. An earlier process may have had the same id, as the first process of a container does.
const madeHere = new Set<string>();

/** A folder below `workDir` for as long as the work lasts. After a kill it is abandoned. */
export async function withProcessFolder<T>(workDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  // Short: a socket below the folder has a path of 107 bytes at most.
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

/** Removes what processes of this machine that are gone left below `workDir`. */
export async function removeAbandonedFolders(workDir: string): Promise<void> {
  for (const name of await readdir(workDir)) {
    const pid = /^interlock-run-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isInUse(name, Number(pid)))
      await rm(join(workDir, name), { recursive: true, force: true });
  }
}

function isInUse(name: string, pid: number): boolean {
  return pid === process.pid ? madeHere.has(name) : isAlive(pid);
}
