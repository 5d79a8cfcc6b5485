// Files of check output, by the age of the last write. Ids grow, so the oldest files are found without looking at all.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const extension = '.log';

/** Returns how many files it removed. Other processes may do the same in the same folder. */
export async function removeOldOutput(dataDir: string, before: Date): Promise<number> {
  let removed = 0;
  for (const files of await listOutput(dataDir)) {
    for (const file of files) {
      const at = await lastWriteOf(file);
      if (at === null) continue;
      // The files behind the first young one are young too.
      if (at >= before) break;
      await rm(file, { force: true });
      removed += 1;
    }
  }
  return removed;
}

/** When the oldest file was written last. Null: there is none. */
export async function oldestOutput(dataDir: string): Promise<Date | null> {
  const oldest = await Promise.all(
    (await listOutput(dataDir)).map(async ([first]) => (first === undefined ? null : await lastWriteOf(first))),
  );
  return oldest.reduce((one, other) => (one !== null && (other === null || one < other) ? one : other), null);
}

/** The files of each account, the oldest check first. */
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
