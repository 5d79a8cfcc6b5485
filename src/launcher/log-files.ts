// Bounds the logs in the data directory of `npm start`. A program keeps its log open and appends to it, so the log is
// copied and then emptied, instead of being renamed. Lines that are written between the two steps are lost.
import { chmod, copyFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const names = ['interlock.log', 'postgres.log', 'temporal.log', 'github-emulator.log'] as const;
/** The name of the file with the earlier lines of a log. */
const earlier = (name: string): string => `${name}.1`;

/** The logs in the data directory, with the copies of earlier lines. */
export const logFiles: readonly string[] = names.flatMap((name) => [name, earlier(name)]);

const defaultMaxBytes = 64e6;

/**
 * Moves the lines of each log that is longer than `maxBytes` to its copy, which replaces the copy before. If the disk has
 * no room for the copy, the lines are dropped, because emptying the log makes room.
 */
export async function boundLogFiles(dataDir: string, maxBytes = defaultMaxBytes): Promise<void> {
  for (const name of names) {
    const file = join(dataDir, name);
    const found = await stat(file).catch(() => null);
    if (found === null || found.size <= maxBytes) continue;
    const copy = join(dataDir, earlier(name));
    await copyFile(file, copy).then(
      async () => await chmod(copy, 0o600),
      async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error;
        await rm(copy, { force: true });
      },
    );
    await truncate(file);
  }
}
