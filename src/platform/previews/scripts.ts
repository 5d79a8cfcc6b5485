// The scripts of a preview are files of its checkout. Executable files are run directly, others by `sh -e`.
import { stat } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** The command that runs a script. Null: the checkout has no such file. */
export async function commandOf(checkout: string, path: string): Promise<readonly [string, ...string[]] | null> {
  const inside = posix.normalize(path);
  if (inside.startsWith('/') || inside === '..' || inside.startsWith('../')) return null;
  const found = await stat(join(checkout, inside)).catch(() => null);
  if (!found?.isFile()) return null;
  return (found.mode & 0o111) === 0 ? ['/bin/sh', '-e', `./${inside}`] : [`./${inside}`];
}
