// Shows cheaply whether anything about the refs of a repository has changed: refs, their locks, and noted updates.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Later changes within this time may not change a time of the file system that is read now. */
const youngMs = 2_000;

/**
 * A text that changes with every change of a ref, a lock or a noted update, because each of them changes the time of a
 * folder or of `packed-refs`. Null: there was a change within the last `settledMs` milliseconds, or the repository
 * changes now or does not exist.
 */
export async function readRefsStamp(directory: string, settledMs = youngMs): Promise<string | null> {
  const now = Date.now();
  const folders = await foldersUnder(join(directory, 'refs')).catch(() => null);
  if (folders === null) return null;
  const paths = [directory, join(directory, 'packed-refs'), join(directory, 'interlock-updates'), ...folders];
  const stats = await Promise.all(paths.map(async (path) => await stat(path, { bigint: true }).catch(() => null)));
  if (stats[0] === null || stats.some((each) => each !== null && now - Number(each.mtimeMs) < settledMs)) return null;
  return stats.map((each) => (each === null ? '-' : `${each.ino}.${each.mtimeNs}`)).join(' ');
}

async function foldersUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => foldersUnder(join(folder, name)));
  return [folder, ...(await Promise.all(below)).flat()];
}
