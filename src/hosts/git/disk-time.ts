import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The time of the disk, in milliseconds. On a disk that machines share, the clock of this machine may differ from the
 * clock that stamps files.
 */
export async function readDiskTime(directory: string): Promise<number> {
  const path = join(directory, `interlock-time-${randomUUID()}`);
  try {
    await writeFile(path, '');
    return (await stat(path)).mtimeMs;
  } catch {
    // The disk has no room for the file.
    return Date.now();
  } finally {
    await rm(path, { force: true });
  }
}
