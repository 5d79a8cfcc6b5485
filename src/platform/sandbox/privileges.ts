// A service that runs as root gives a command neither root's user id nor its capabilities.
import { once } from 'node:events';
import { spawn } from '../spawning/index.ts';
import type { RunFolders } from './port.ts';

export interface Privileges {
  readonly isRoot: boolean;
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` when we are root, ourselves otherwise. */
export function readPrivileges(): Privileges {
  const isRoot = process.getuid?.() === 0;
  return isRoot
    ? { isRoot, uid: 65534, gid: 65534 }
    : { isRoot, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** The start of a command line that becomes the unprivileged user for good. */
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
