// The folders of a repository that have its refs in files of their own.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

interface RefFolders {
  /** `path` itself and all folders below it. */
  readonly folders: readonly string[];
  /** All files below `path`: refs, and locks whose names end with `.lock`. */
  readonly files: readonly string[];
}

/**
 * Lists what is below a folder such as `refs/heads`, with paths that begin with `path`. Git may remove a folder
 * meanwhile, which then counts as empty.
 */
export async function listRefFolders(directory: string, path: string): Promise<RefFolders> {
  const entries = await readdir(join(directory, path), { withFileTypes: true }).catch(noneIfGone);
  const below = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => await listRefFolders(directory, `${path}/${name}`)),
  );
  const own = entries.filter((entry) => entry.isFile()).map(({ name }) => `${path}/${name}`);
  return {
    folders: [path, ...below.flatMap(({ folders }) => folders)],
    files: [...own, ...below.flatMap(({ files }) => files)],
  };
}

function noneIfGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}

/**
 * A text that changes with every change of a ref, a lock or a noted update, because each of them changes the time of a
 * folder or of `packed-refs`. Null: there was a change within the last `settledMs` milliseconds, or the repository does
 * not exist or cannot be read.
 */
export async function readRefsStamp(directory: string, settledMs: number): Promise<string | null> {
  const now = Date.now();
  const refs = await listRefFolders(directory, 'refs').catch(() => null);
  if (refs === null) return null;
  const paths = ['', 'packed-refs', 'interlock-updates', ...refs.folders].map((path) => join(directory, path));
  const stats = await Promise.all(paths.map(async (path) => await stat(path, { bigint: true }).catch(() => null)));
  if (stats[0] === null || stats.some((each) => each !== null && now - Number(each.mtimeMs) < settledMs)) return null;
  return stats.map((each) => (each === null ? '-' : `${each.ino}.${each.mtimeNs}`)).join(' ');
}
