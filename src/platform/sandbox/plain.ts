// No sandbox: a process with a minimal environment. It can read all files of its user and use the network. It is meant
// only for installations in which all repositories belong to the operator.
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
    run: async (requested) => {
      const run = { bounds, ...requested };
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
