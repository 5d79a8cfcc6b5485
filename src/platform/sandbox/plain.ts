// No sandbox: a process with a bare environment. It sees what its user sees, the network too. Only for an
// installation whose repositories are all its operator's own.
import { defaultRunBounds } from '../../domain/runs/bounds.ts';
import { runWrapped, shellOf } from './command.ts';
import { environmentInside, findProgram } from './layout.ts';
import type { Sandbox } from './port.ts';
import { dropPrivileges, ownFolders, readPrivileges } from './privileges.ts';

export function createPlain(bounds = defaultRunBounds): Sandbox {
  const setpriv = findProgram('setpriv');
  const privileges = readPrivileges();
  const becomeNobody = setpriv !== null && privileges.isRoot ? dropPrivileges(privileges, setpriv) : [];
  return {
    kind: 'plain',
    node: process.execPath,
    bounds,
    run: async (asked) => {
      const run = { bounds, ...asked };
      if (setpriv !== null) await ownFolders(privileges, run.folders);
      const [file = '/bin/sh', ...args] = [...becomeNobody, ...shellOf(run, true)];
      const { checkout, home, tmp } = run.folders;
      const env = {
        ...environmentInside(run.env),
        PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
        HOME: home,
        TMPDIR: tmp,
      };
      return await runWrapped({ file, args, env, cwd: checkout }, run);
    },
  };
}
