// Reads and stores the tokens of `interlock login` by address, in a file that only its owner can read.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../output/failure.ts';
import type { Io } from '../output/io.ts';
import type { Logins } from './connection.ts';

const none: Logins = { latest: null, byAddress: {} };

/** The path of the file, in the user's configuration directory (XDG_CONFIG_HOME, otherwise ~/.config). */
export function loginsFile(env: Io['env']): string {
  const config = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? homedir(), '.config');
  return join(config, 'interlock', 'logins.json');
}

export async function readLogins(env: Io['env']): Promise<Logins> {
  const file = loginsFile(env);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Failure('usage', `${file} cannot be read (${error.code}). Correct its permissions.`);
  });
  if (text === null) return none;
  try {
    return JSON.parse(text) as Logins;
  } catch {
    throw new Failure('usage', `${file} is not JSON. Remove it, then log in again: interlock login <address>`);
  }
}

export async function storeLogins(env: Io['env'], logins: Logins): Promise<void> {
  const file = loginsFile(env);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure('usage', `${file} cannot be written (${code}). Name another directory by XDG_CONFIG_HOME.`);
  }
}
