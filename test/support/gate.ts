// A moment that the test chooses: what runs `waits` in a shell goes on when the gate is opened.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Gate extends AsyncDisposable {
  /** A command of the shell, without quotes. */
  readonly waits: string;
  open(): Promise<void>;
}

export async function gate(): Promise<Gate> {
  const directory = await mkdtemp(join(tmpdir(), 'interlock-gate-'));
  // Checks run as nobody.
  await chmod(directory, 0o755);
  const file = join(directory, 'open');
  return {
    waits: `while ! test -e ${file}; do sleep 0.05; done`,
    open: async () => await writeFile(file, ''),
    [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true, force: true }),
  };
}
