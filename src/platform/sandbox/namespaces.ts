// The same by util-linux alone: `unshare` for the namespaces, a root of bind mounts, `pivot_root` into it, and
// `setpriv` to be nobody. As another user than root it is done inside a user namespace.
import { runWrapped, shellOf } from './command.ts';
import { devices, environmentInside, insideCheckout, insideHome, readLayout } from './layout.ts';
import type { Sandbox, SandboxRun } from './port.ts';
import { dropPrivileges, ownFolders, type Privileges } from './privileges.ts';

export function createNamespaces(programs: { readonly unshare: string; readonly setpriv: string }, privileges: Privileges): Sandbox {
  return {
    kind: 'namespaces',
    run: async (run) => {
      await ownFolders(privileges, run.folders);
      const args = [
        // Dies when we die: setpriv sets it for itself, unshare passes it on to the namespace's first process.
        '--pdeathsig', 'KILL', '--', programs.unshare,
        ...(privileges.isRoot ? [] : ['--user', '--map-root-user']),
        '--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child=SIGKILL', '--propagation', 'private', '--',
        '/bin/sh', '-e', '-c', setUpScript(run), 'sandbox', ...dropPrivileges(privileges, programs.setpriv), ...shellOf(run.command),
      ];
      return await runWrapped({ file: programs.setpriv, args, env: environmentInside(run.env), cwd: '/' }, run);
    },
  };
}

// The shell that makes the root stays the namespace's first process: it reaps, and when the command ends the
// kernel kills whatever was left behind.
function setUpScript(run: SandboxRun): string {
  const layout = readLayout();
  const { root } = run.folders;
  const folder = (path: string): string => `mkdir -p ${quote(root + path)}`;
  const file = (path: string): string => `mkdir -p ${quote(root + path.replace(/\/[^/]*$/, ''))}; touch ${quote(root + path)}`;
  const bind = (from: string, to: string, options = 'bind'): string => `mount -o ${options} ${quote(from)} ${quote(root + to)}`;
  const writable = [[run.folders.checkout, insideCheckout], [run.folders.home, insideHome], [run.folders.tmp, '/tmp']] as const;
  const streams = [['fd', ''], ['stdin', '/0'], ['stdout', '/1'], ['stderr', '/2']] as const;
  return [
    `mount -t tmpfs -o mode=755,size=16m,nosuid,nodev tmpfs ${quote(root)}`,
    ...layout.readOnly.map((path) => `if [ -d ${quote(path)} ]; then ${folder(path)}; else ${file(path)}; fi; ${bind(path, path, 'bind,ro')}`),
    ...layout.links.map(({ path, target }) => `ln -s ${quote(target)} ${quote(root + path)}`),
    file(layout.node.at), bind(layout.node.from, layout.node.at, 'bind,ro'),
    ...writable.map(([from, to]) => `${folder(to)}; ${bind(from, to)}`),
    folder('/dev/shm'), `mount -t tmpfs -o mode=1777,size=256m tmpfs ${quote(`${root}/dev/shm`)}`,
    ...devices.map((device) => `if [ -e /dev/${device} ]; then ${file(`/dev/${device}`)}; ${bind(`/dev/${device}`, `/dev/${device}`)}; fi`),
    ...streams.map(([name, number]) => `ln -s /proc/self/fd${number} ${quote(`${root}/dev/${name}`)}`),
    folder('/proc'), `mount -t proc -o nosuid,nodev,noexec proc ${quote(`${root}/proc`)}`,
    // Tests like to listen on localhost.
    '{ ip link set lo up || true; } >/dev/null 2>&1',
    folder('/.old'), `cd ${quote(root)}`, 'pivot_root . .old', 'umount -l /.old', 'rmdir /.old', 'mount -o remount,ro /', `cd ${insideCheckout}`, 'unset OLDPWD',
    // No exec: see above.
    'set +e; "$@"; code=$?; exit $code',
  ].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
