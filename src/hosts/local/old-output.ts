// Finds and removes old files of check output. A file's age is the time since its last write. Ids of check runs
// increase, so the oldest files are found without reading the age of every file.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const extension = '.log';

/**
 * Removes the files that were last written before `before`, and returns how many it removed. Several processes may do
 * so in the same folder at the same time.
 */
export async function removeOldOutput(dataDir: string, before: Date): Promise<number> {
  let removed = 0;
  for (const files of await listOutput(dataDir)) {
    for (const file of files) {
      const at = await lastWriteOf(file);
      if (at === null) continue;
      // Files with higher ids are not older than this file.
      if (at >= before) break;
      await rm(file, { force: true });
      removed += 1;
    }
  }
  return removed;
}

/** When the oldest file was last written. Null: there are no files. */
export async function findOldestOutput(dataDir: string): Promise<Date | null> {
  const oldest = await Promise.all(
    (await listOutput(dataDir)).map(async ([first]) => (first === undefined ? null : await lastWriteOf(first))),
  );
  return oldest.reduce((one, other) => (one !== null && (other === null || one < other) ? one : other), null);
}

/** The files of each account. The file of the oldest check run is first. */
async function listOutput(dataDir: string): Promise<readonly (readonly string[])[]> {
  const folder = join(dataDir, 'logs');
  const accounts = await namesIn(folder);
  return await Promise.all(
    accounts.map(async (account) => {
      const names = (await namesIn(join(folder, account))).filter((name) => name.endsWith(extension));
      const byId = names.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
      return byId.map((name) => join(folder, account, name));
    }),
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(orNone([]));
}

async function lastWriteOf(file: string): Promise<Date | null> {
  return (await stat(file).catch(orNone(null)))?.mtime ?? null;
}

function orNone<T>(none: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return none;
    throw error;
  };
}
