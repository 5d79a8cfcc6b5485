import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The folder in which downloaded programs are stored, for all starts and all clones. If Interlock runs as root, this is
 * a system folder, because the database's user cannot enter root's home. `INTERLOCK_CACHE` sets another folder.
 */
export function defaultCacheDirectory(): string {
  if (process.env['INTERLOCK_CACHE']) return process.env['INTERLOCK_CACHE'];
  if (process.getuid?.() === 0) return '/var/cache/interlock';
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'interlock');
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'interlock');
}

/** Fills a folder completely or not at all, even if several processes do so at the same time. */
export async function fillOnce(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  await mkdir(draft, { mode: 0o755 });
  try {
    await fill(draft);
    await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster. Its folder is equal.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
