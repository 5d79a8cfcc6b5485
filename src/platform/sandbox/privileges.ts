// If Interlock runs as root, commands get neither root's user id nor its capabilities. Each run gets a user id of its
// own. The kernel's keys, counts of processes and rights to send signals belong to a user, so runs do not share them.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { spawn } from '../spawning/index.ts';
import { insideHome } from './layout.ts';
import type { RunFolders } from './port.ts';
import { besideRoot } from './run-folders.ts';

export interface Privileges {
  readonly isRoot: boolean;
  readonly uid: number;
  readonly gid: number;
  /** Whether each run gets a user id of its own. Otherwise all runs share `uid`. */
  readonly hasOwnUids: boolean;
}

/**
 * User ids that no system assigns, according to systemd's table. There are so many that two runs practically never draw
 * the same.
 */
const ownUids = { first: 0x70000000, count: 0x0fffffff };
const nobody = 65534;

/** The user of commands: `nobody` if Interlock runs as root, otherwise Interlock's own user. */
export function readPrivileges(): Privileges {
  const isRoot = process.getuid?.() === 0;
  return isRoot
    ? { isRoot, uid: nobody, gid: nobody, hasOwnUids: isMapped(readUidMap(), ownUids) }
    : { isRoot, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, hasOwnUids: false };
}

/** Whether the user namespace that `map` (`/proc/self/uid_map`) describes has all of these user ids. */
export function isMapped(map: string, uids: { readonly first: number; readonly count: number }): boolean {
  return map.split('\n').some((line) => {
    const [first = NaN, , count = NaN] = line.trim().split(/\s+/).map(Number);
    return first <= uids.first && first + count >= uids.first + uids.count;
  });
}

function readUidMap(): string {
  try {
    return readFileSync('/proc/self/uid_map', 'utf8');
  } catch {
    return '';
  }
}

/** Decides the user id and the group id of one run. */
export function decideIdentity(privileges: Privileges): Privileges {
  if (!privileges.hasOwnUids) return privileges;
  const uid = ownUids.first + randomInt(ownUids.count);
  return { ...privileges, uid, gid: uid };
}

/**
 * Writes copies of /etc/passwd and /etc/group in which the run's own user id has a name and a home directory, because
 * programs look up their user.
 */
export async function showIdentity(
  { hasOwnUids, uid, gid }: Privileges,
  folders: RunFolders,
): Promise<{ readonly from: string; readonly at: string }[]> {
  if (!hasOwnUids) return [];
  const lines = { '/etc/passwd': `ci:x:${uid}:${gid}::${insideHome}:/bin/sh\n`, '/etc/group': `ci:x:${gid}:\n` };
  return await Promise.all(
    Object.entries(lines).map(async ([at, line]) => {
      const from = besideRoot(folders, at.slice('/etc/'.length));
      await writeFile(from, (await readFile(at, 'utf8').catch(() => '')) + line, { mode: 0o644 });
      return { from, at };
    }),
  );
}

/** The start of a command line that gives up all privileges for good. */
export function dropPrivileges(privileges: Privileges, setpriv: string): string[] {
  const { uid, gid, isRoot } = privileges;
  const identity = isRoot ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  return [setpriv, ...identity, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--'];
}

/** Gives the folders of a run to the user its command runs as. */
export async function ownFolders({ isRoot, uid, gid }: Privileges, { checkout, home, tmp }: RunFolders): Promise<void> {
  if (!isRoot) return;
  const args = ['-R', '--no-dereference', `${uid}:${gid}`, '--', checkout, home, tmp];
  const [code] = await once(spawn('chown', args, { stdio: ['ignore', 'ignore', 'ignore'] }), 'close');
  if (code !== 0) throw new Error(`chown exited with ${String(code)} on the folders of a run.`);
}
