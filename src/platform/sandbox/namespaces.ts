// A sandbox like that of bubblewrap, made by util-linux: `unshare` makes the namespaces, the root folder consists of
// bind mounts, `pivot_root` enters it, and `setpriv` changes the user. `confining-program.ts` does the rest. If
// Interlock does not run as root, all this is done inside a user namespace.
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { defaultRunBounds } from '../../domain/runs/bounds.ts';
import { runWrapped, shellOf } from './command.ts';
import { insideConfine, writeConfiningProgram } from './confining-program.ts';
import {
  devices,
  environmentInside,
  insideCheckout,
  insideHome,
  insideNode,
  readLayout,
  readResolver,
  type Layout,
} from './layout.ts';
import type { Sandbox, SandboxRun } from './port.ts';
import { decideIdentity, dropPrivileges, ownFolders, showIdentity, type Privileges } from './privileges.ts';

export function createNamespaces(
  programs: { readonly unshare: string; readonly setpriv: string },
  serviceOf: Privileges,
  bounds = defaultRunBounds,
): Sandbox {
  return {
    kind: 'namespaces',
    node: insideNode,
    bounds,
    run: async (requested) => {
      const run = { bounds, ...requested };
      const privileges = decideIdentity(serviceOf);
      await ownFolders(privileges, run.folders);
      const shown = [...(run.shown ?? []), ...(await showIdentity(privileges, run.folders))];
      const confine = await writeConfiningProgram(run.folders);
      const args = [
        // Ends the sandbox when this process dies. setpriv sets the signal for itself and unshare, and unshare passes
        // it on to the first process of the namespace.
        '--pdeathsig',
        'KILL',
        '--',
        programs.unshare,
        ...(privileges.isRoot ? [] : ['--user', '--map-root-user']),
        '--mount',
        '--pid',
        ...(run.network === true ? [] : ['--net']),
        '--ipc',
        '--uts',
        '--fork',
        '--kill-child=SIGKILL',
        '--propagation',
        'private',
        '--',
        '/bin/sh',
        '-e',
        '-c',
        setUpScript({ ...run, shown, confine }),
        'sandbox',
        ...dropPrivileges(privileges, programs.setpriv),
        ...(confine === null ? [] : [insideConfine]),
        ...shellOf(run),
      ];
      return await runWrapped({ file: programs.setpriv, args, env: environmentInside(run.env), cwd: '/' }, run);
    },
  };
}

// The shell that makes the root folder remains the first process of the PID namespace. It reaps orphans. When it exits
// after the command, the kernel kills all remaining processes.
function setUpScript(run: SandboxRun & { readonly confine: string | null }): string {
  const { root } = run.folders;
  const layout = readLayout();
  const mounts = mountsOf(run, layout);
  const inRoot = (path: string): string => quote(root + path);
  const isFolder = ({ from }: Mount): boolean => statSync(from).isDirectory();
  const files = mounts.filter((mount) => !isFolder(mount)).map(({ to }) => to);
  const folders = [
    ...mounts.filter(isFolder).map(({ to }) => to),
    ...files.map((path) => dirname(path)),
    '/dev/shm',
    '/proc',
    '/.old',
  ];
  const streams = [
    ['fd', ''],
    ['stdin', '/0'],
    ['stdout', '/1'],
    ['stderr', '/2'],
  ] as const;
  return [
    `mount -t tmpfs -o mode=755,size=16m,nosuid,nodev tmpfs ${quote(root)}`,
    `mkdir -p ${folders.map(inRoot).join(' ')}`,
    `touch ${files.map(inRoot).join(' ')}`,
    ...mounts.map(({ from, to, options }) => `mount -o ${options} ${quote(from)} ${inRoot(to)}`),
    ...layout.links.map(({ path, target }) => `ln -s ${quote(target)} ${inRoot(path)}`),
    // The program is copied, because its file may be in a file system that is mounted noexec.
    ...(run.confine === null ? [] : [`install -m 755 ${quote(run.confine)} ${inRoot(insideConfine)}`]),
    ...streams.map(([name, number]) => `ln -s /proc/self/fd${number} ${inRoot(`/dev/${name}`)}`),
    `mount -t tmpfs -o mode=1777,size=256m,nosuid,nodev tmpfs ${inRoot('/dev/shm')}`,
    `mount -t proc -o nosuid,nodev,noexec proc ${inRoot('/proc')}`,
    // Many tests listen on localhost, so the loopback interface of the new network namespace is brought up. This
    // machine's own network has it already.
    ...(run.network === true ? [] : ['{ ip link set lo up || true; } >/dev/null 2>&1']),
    `cd ${quote(root)}`,
    'pivot_root . .old',
    'umount -l /.old',
    'rmdir /.old',
    'mount -o remount,bind,ro,nosuid,nodev /',
    `cd ${insideCheckout}`,
    'unset OLDPWD',
    // Not `exec`: the shell must remain the first process (see above).
    'set +e; "$@"; code=$?; exit $code',
  ].join('\n');
}

interface Mount {
  readonly from: string;
  readonly to: string;
  readonly options: 'bind' | 'bind,ro';
}

function mountsOf(run: SandboxRun, { readOnly, node }: Layout): Mount[] {
  const { checkout, home, tmp } = run.folders;
  const resolver = run.network === true ? readResolver() : null;
  const shownDevices = devices.map((device) => `/dev/${device}`).filter((path) => existsSync(path));
  return [
    ...readOnly.map((path): Mount => ({ from: path, to: path, options: 'bind,ro' })),
    { from: node.from, to: node.at, options: 'bind,ro' },
    ...(resolver === null ? [] : [{ from: resolver.from, to: resolver.at, options: 'bind,ro' } as const]),
    ...(run.shown ?? []).map(({ from, at }): Mount => ({ from, to: at, options: 'bind,ro' })),
    ...shownDevices.map((path): Mount => ({ from: path, to: path, options: 'bind' })),
    { from: checkout, to: insideCheckout, options: 'bind' },
    { from: home, to: insideHome, options: 'bind' },
    { from: tmp, to: '/tmp', options: 'bind' },
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
