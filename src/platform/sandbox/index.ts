// Finds the best sandbox that works on this machine, by trying each. Whether namespaces can be made depends on the
// kernel, on a surrounding container and on the user, so only an attempt shows it.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { defaultRunBounds, type RunBounds } from '../../domain/runs/bounds.ts';
import { createBubblewrap } from './bubblewrap.ts';
import { findProgram } from './layout.ts';
import { createNamespaces } from './namespaces.ts';
import { createPlain } from './plain.ts';
import type { Sandbox, SandboxKind } from './port.ts';
import { readPrivileges } from './privileges.ts';
import { withRunFolders } from './run-folders.ts';

export { findProgram } from './layout.ts';
export { measureFolders, type RunSize } from './growth.ts';
export { lastLineOf, describeOutcome } from './port.ts';
export { makeRunFolders, removeAbandonedFolders, withProcessFolder, withRunFolders } from './run-folders.ts';
export type { RunFolders, Sandbox, SandboxKind, SandboxOutcome, SandboxRun } from './port.ts';

export interface FoundSandbox {
  /** Null: no sandbox works, and plain processes are not allowed. */
  readonly sandbox: Sandbox | null;
  /** A sentence for the output at the start: which sandbox is used, and how to get a better one. */
  readonly sentence: string;
}

const cure = 'install bubblewrap (apt-get install bubblewrap), or allow user namespaces';

/** `kinds`: the kinds that may be used. The best is tried first. */
export async function findSandbox(options: {
  readonly allowPlain: boolean;
  readonly kinds?: readonly SandboxKind[];
  readonly bwrapPath?: string;
  /** The default bounds of runs. */
  readonly bounds?: RunBounds;
}): Promise<FoundSandbox> {
  const bounds = options.bounds ?? defaultRunBounds;
  const kinds = options.kinds ?? ['bubblewrap', 'namespaces', 'plain'];
  const isolated = [
    { kind: 'bubblewrap', make: () => makeBubblewrap(bounds, options.bwrapPath) },
    { kind: 'namespaces', make: () => makeNamespaces(bounds) },
  ] as const;
  for (const { kind, make } of isolated.filter((candidate) => kinds.includes(candidate.kind))) {
    const sandbox = make();
    if (sandbox !== null && (await isWorking(sandbox)))
      return { sandbox, sentence: `checks run in a sandbox (${kind})` };
  }
  if (options.allowPlain && kinds.includes('plain')) {
    return { sandbox: createPlain(bounds), sentence: `checks run WITHOUT a sandbox, as plain processes: ${cure}` };
  }
  return { sandbox: null, sentence: `no checks run here, because there is no sandbox for them: ${cure}` };
}

function makeBubblewrap(bounds: RunBounds, path?: string): Sandbox | null {
  const bwrap = path ?? findProgram('bwrap');
  const setpriv = findProgram('setpriv');
  const privileges = readPrivileges();
  if (bwrap === null || (privileges.isRoot && setpriv === null)) return null;
  const hasSizes = String(spawnSync(bwrap, ['--help']).stdout).includes('--size');
  return createBubblewrap({ bwrap, setpriv: setpriv ?? '', hasSizes }, privileges, bounds);
}

function makeNamespaces(bounds: RunBounds): Sandbox | null {
  const unshare = findProgram('unshare');
  const setpriv = findProgram('setpriv');
  if (process.platform !== 'linux' || unshare === null || setpriv === null) return null;
  return createNamespaces({ unshare, setpriv }, readPrivileges(), bounds);
}

async function isWorking(sandbox: Sandbox): Promise<boolean> {
  try {
    return await withRunFolders(tmpdir(), async (folders) => {
      const command = `echo probe > /tmp/probe && test -d /proc/self && ! test -e '${dirname(folders.root)}'`;
      const outcome = await sandbox.run({ command, folders, env: {}, timeoutMs: 10_000, onOutput: () => {} });
      return outcome.kind === 'exited' && outcome.code === 0;
    });
  } catch {
    return false;
  }
}
