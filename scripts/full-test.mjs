// Runs one test file of the full tier. Some npm scripts are such a test.
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary-folder.mjs';
import { root, runForeground, toolEnvironment } from './toolchain.mjs';

/**
 * Resolves with the exit code. `settings` are environment variables for the test. The test prints to `output`,
 * which is `stdout` or `stderr`.
 */
export async function runFullTest(node, file, settings, { output = 'stdout' } = {}) {
  const temporary = makeTemporaryFolder();
  const env = { ...toolEnvironment(node), TMPDIR: temporary.path, INTERLOCK_TESTS: 'all', ...settings };
  try {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const stdio = ['inherit', process[output].fd, 'inherit'];
    return await runForeground(node, [program, 'run', join('test', 'e2e', file)], { env, stdio });
  } finally {
    temporary.remove();
  }
}
