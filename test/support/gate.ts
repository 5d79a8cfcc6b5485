// Holds a command until the test opens the gate. The command runs `waits` in a shell.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Gate extends AsyncDisposable {
  /** A shell command that waits until the gate is open. It contains no quotes. */
  readonly waits: string;
  open(): Promise<void>;
}

export async function gate(): Promise<Gate> {
  const directory = await mkdtemp(join(tmpdir(), 'interlock-gate-'));
  // Checks run as the user nobody, who must be able to read the directory.
  await chmod(directory, 0o755);
  const file = join(directory, 'open');
  return {
    waits: `while ! test -e ${file}; do sleep 0.05; done`,
    open: async () => await writeFile(file, ''),
    [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true, force: true }),
  };
}
