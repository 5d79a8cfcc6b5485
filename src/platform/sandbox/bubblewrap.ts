// The sandbox that bubblewrap makes: new user, mount, pid, network, ipc, uts and cgroup namespaces, an empty root
// folder and no capabilities. System calls that no command needs are refused.
import { defaultRunBounds } from '../../domain/runs/bounds.ts';
import { runWrapped, shellOf, type BoundedRun } from './command.ts';
import { insideConfine, writeConfiningProgram } from './confining-program.ts';
import {
  devices,
  environmentInside,
  insideCheckout,
  insideHome,
  insideNode,
  readLayout,
  readResolver,
} from './layout.ts';
import type { Sandbox } from './port.ts';
import { type Privileges, decideIdentity, dropPrivileges, ownFolders, showIdentity } from './privileges.ts';

interface Programs {
  readonly bwrap: string;
  readonly setpriv: string;
  /** Whether bubblewrap can limit the size of file systems in memory (version 0.7 and newer). */
  readonly hasSizes: boolean;
}

const sharedMemoryBytes = 256 * 1024 * 1024;

/**
 * The descriptor from which bubblewrap reads the confining program. It has one digit, because shells can redirect only
 * such descriptors, and is above 6, because lower descriptors are in use.
 */
const confineDescriptor = '9';

export function createBubblewrap(programs: Programs, serviceOf: Privileges, bounds = defaultRunBounds): Sandbox {
  return {
    kind: 'bubblewrap',
    node: insideNode,
    bounds,
    run: async (requested) => {
      const run = { bounds, ...requested };
      const privileges = decideIdentity(serviceOf);
      await ownFolders(privileges, run.folders);
      const shown = [...(run.shown ?? []), ...(await showIdentity(privileges, run.folders))];
      const confine = await writeConfiningProgram(run.folders);
      const args = argumentsFor({ ...run, shown, confines: confine !== null }, programs, privileges);
      const command =
        confine === null
          ? { file: programs.bwrap, args }
          : { file: '/bin/sh', args: ['-c', `exec "$@" ${confineDescriptor}<"$0"`, confine, programs.bwrap, ...args] };
      return await runWrapped({ ...command, env: environmentInside(run.env), cwd: '/' }, run);
    },
  };
}

type ConfinedRun = BoundedRun & { readonly confines: boolean };

// bubblewrap applies its options in their order. A later mount covers an earlier one.
function argumentsFor(run: ConfinedRun, programs: Programs, privileges: Privileges): string[] {
  return [
    ...namespacesOf(run, privileges),
    ...programsShown(run),
    ...devicesMade(programs),
    ...foldersBound(run),
    // /dev and / are file systems in memory without a size limit, so they become read-only.
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    insideCheckout,
    // If root starts bubblewrap, it would keep all of root's capabilities. Only the capabilities that setpriv needs to
    // change the user are kept.
    ...(privileges.isRoot
      ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP']
      : []),
    '--',
    ...(privileges.isRoot ? dropPrivileges(privileges, programs.setpriv) : []),
    ...(run.confines ? [insideConfine] : []),
    ...shellOf(run),
  ];
}

function namespacesOf(run: ConfinedRun, privileges: Privileges): string[] {
  return [
    '--unshare-pid',
    ...(run.network === true ? [] : ['--unshare-net']),
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(privileges.isRoot ? [] : ['--unshare-user']),
    '--die-with-parent',
    '--new-session',
  ];
}

/** Mounts that are read-only: this machine's programs, the confining program, and the folders that the run shows. */
function programsShown(run: ConfinedRun): string[] {
  const layout = readLayout();
  const shown = run.shown ?? [];
  const resolver = run.network === true ? readResolver() : null;
  return [
    // Parent folders are made explicitly, because bubblewrap would make them readable for root only.
    ...foldersAbove([...layout.readOnly, layout.node.at, insideHome, ...shown.map(({ at }) => at)]).flatMap((path) => [
      '--perms',
      '0755',
      '--dir',
      path,
    ]),
    ...layout.readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...layout.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...(resolver === null ? [] : ['--ro-bind', resolver.from, resolver.at]),
    '--ro-bind',
    layout.node.from,
    layout.node.at,
    ...(run.confines ? ['--perms', '0755', '--file', confineDescriptor, insideConfine] : []),
    ...shown.flatMap(({ from, at }) => ['--ro-bind', from, at]),
  ];
}

function devicesMade({ hasSizes }: Programs): string[] {
  return [
    '--proc',
    '/proc',
    '--tmpfs',
    '/dev',
    ...devices.flatMap((device) => ['--dev-bind-try', `/dev/${device}`, `/dev/${device}`]),
    '--symlink',
    '/proc/self/fd',
    '/dev/fd',
    '--symlink',
    '/proc/self/fd/0',
    '/dev/stdin',
    '--symlink',
    '/proc/self/fd/1',
    '/dev/stdout',
    '--symlink',
    '/proc/self/fd/2',
    '/dev/stderr',
    '--perms',
    '1777',
    ...(hasSizes ? ['--size', String(sharedMemoryBytes)] : []),
    '--tmpfs',
    '/dev/shm',
  ];
}

function foldersBound({ folders }: ConfinedRun): string[] {
  const { checkout, home, tmp } = folders;
  return ['--bind', checkout, insideCheckout, '--bind', home, insideHome, '--bind', tmp, '/tmp'];
}

function foldersAbove(paths: readonly string[]): string[] {
  const above = (path: string): string[] =>
    path
      .split('/')
      .slice(1, -1)
      .map((_, index, parts) => `/${parts.slice(0, index + 1).join('/')}`);
  return [...new Set(paths.flatMap(above))].sort();
}
