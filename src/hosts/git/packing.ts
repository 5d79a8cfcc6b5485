// Moves the objects and refs of a repository from single files into packs. No object and no ref is removed, because the
// commits of proofs, builds and runbooks may be ones that no ref has any more.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { listRefFolders } from './ref-folders.ts';

/** What makes a repository slow. */
export interface LooseFiles {
  /** An estimate, from a part of the folders. */
  readonly objects: number;
  readonly refs: number;
  readonly packs: number;
}

/** From these numbers on, a repository is packed. */
const most: LooseFiles = { objects: 500, refs: 200, packs: 20 };

export function isPackingDue({ objects, refs, packs }: LooseFiles): boolean {
  return objects >= most.objects || refs >= most.refs || packs >= most.packs;
}

/** The first digits of object ids are evenly distributed, so a part of the 256 folders is enough for an estimate. */
const countedFolders = 16;

export async function countLooseFiles(directory: string): Promise<LooseFiles> {
  const names = Array.from({ length: countedFolders }, (_, index) => `0${index.toString(16)}`);
  const folders = await Promise.all(names.map(async (name) => await namesIn(join(directory, 'objects', name))));
  const counted = folders.flat().filter((name) => /^[0-9a-f]{38}$/.test(name)).length;
  const packs = (await namesIn(join(directory, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length;
  return { objects: counted * (256 / countedFolders), refs: await countLooseRefs(directory), packs };
}

async function countLooseRefs(directory: string): Promise<number> {
  const { files } = await listRefFolders(directory, 'refs').catch(() => ({ files: [] as string[] }));
  return files.filter((path) => !path.endsWith('.lock')).length;
}

const packTimeoutMs = 60 * 60_000;

/**
 * Packs a repository while it is in use. Objects in single files and small packs become one pack, and large packs stay
 * as they are, so the work does not grow with the repository. Other processes of git find the objects in the new pack.
 */
export async function packRepository(git: Git, directory: string, signal: AbortSignal): Promise<void> {
  await removeLeftovers(directory);
  // This has the usual priority, because updates of refs wait for it.
  await git.run(directory, ['pack-refs', '--all']);
  // Everything is synced before single files are removed, so that a power failure loses no object.
  const args = ['-c', 'core.fsync=all', 'repack', '-d', '-l', '-q', '--geometric=2'];
  await git.run(directory, args, { timeoutMs: packTimeoutMs, isBackground: true, signal });
}

/** Temporary files of this age have no process any more, because no command of git runs so long. */
const leftoverAfterMs = 24 * 60 * 60_000;

/** Removes the temporary files and folders of processes that were killed. */
async function removeLeftovers(directory: string): Promise<void> {
  const objects = join(directory, 'objects');
  const folders = (await namesIn(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of ['', 'pack', ...folders])
    for (const name of await namesIn(join(objects, folder))) {
      if (!/^\.?tmp[-_]/.test(name)) continue;
      const path = join(objects, folder, name);
      const written = await stat(path).catch(() => null);
      if (written !== null && Date.now() - written.mtimeMs >= leftoverAfterMs)
        await rm(path, { recursive: true, force: true });
    }
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
