// Output of check runs, one file each.
import { open } from 'node:fs/promises';
import type { CheckLog } from '../port.ts';
import { checkLogPath } from './installation.ts';

/** The end of the output so far; empty before the run wrote anything. */
export async function readCheckLog(
  dataDir: string,
  accountId: string,
  checkRunId: string,
  maxBytes = 2 * 1024 * 1024,
): Promise<CheckLog> {
  const file = await open(checkLogPath(dataDir, accountId, checkRunId)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return { text: '', truncated: false };
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return { text: buffer.toString('utf8', 0, bytesRead), truncated: size > length };
  } finally {
    await file.close();
  }
}
