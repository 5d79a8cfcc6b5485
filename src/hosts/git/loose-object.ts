// Writes an object in the format of git: deflated, synced to the disk, in the file named by its id. An existing object
// is never overwritten.
import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';

/** Writes an object and returns its id. */
export async function writeObject(directory: string, type: 'commit' | 'blob', body: string): Promise<string> {
  const content = Buffer.from(body, 'utf8');
  const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash('sha1').update(object).digest('hex');
  const folder = join(directory, 'objects', id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (await touch(path)) return id;
  const bytes = await promisify(deflate)(object, { level: constants.Z_BEST_SPEED });
  // The name has the prefix of git's own temporary files, which are removed if this process is killed.
  const written = join(folder, `tmp_obj_${randomUUID()}`);
  await inObjectFolder(folder, async () => {
    try {
      await writeDurably(written, bytes);
      // Two processes that write the same object write the same bytes, so the file of the first is kept.
      await link(written, path).catch(unless('EEXIST'));
    } finally {
      await rm(written, { force: true });
    }
  });
  return id;
}

const maxAttempts = 10;

/**
 * Does the work in a folder of objects, which is made if it is missing. git removes empty folders when it packs, also a
 * folder that was made a moment ago. Work that found no folder is repeated.
 */
export async function inObjectFolder(folder: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mkdir(folder, { recursive: true });
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === maxAttempts) throw error;
    }
  }
}

/**
 * Sets the modification time to now, because git prunes only old objects that are not referenced. False: the object
 * does not exist.
 */
async function touch(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(() => true, unless('ENOENT'));
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o444);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function unless(code: string): (error: NodeJS.ErrnoException) => false {
  return (error) => {
    if (error.code !== code) throw error;
    return false;
  };
}
