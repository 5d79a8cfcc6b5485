// Runs one test file of the full tier. Some npm scripts are such a test.
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary-folder.mjs';
import { root, runForeground, toolEnvironment } from './toolchain.mjs';

/** Resolves with the exit code. `settings` are environment variables for the test. */
export async function runFullTest(node, file, settings) {
  const temporary = makeTemporaryFolder();
  const env = { ...toolEnvironment(node), TMPDIR: temporary.path, INTERLOCK_TESTS: 'all', ...settings };
  try {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    return await runForeground(node, [program, 'run', join('test', 'e2e', file)], { env });
  } finally {
    temporary.remove();
  }
}
