// Run by hand after a change of the workflows that changes their histories: `npx tsx
// test/workflows/record-histories.ts`. Runs the tests of this folder that keep histories, in full, and replaces
// histories/ by the histories of their workflows.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';

const folder = join('test', 'workflows');
rmSync(join(projectRoot, folder, 'histories'), { recursive: true, force: true });

/** Runs the test files whose names begin with these words, including the full ones. */
function run(...names: readonly string[]): boolean {
  const filters = names.map((name) => join(folder, `${name}.`));
  const { status } = spawnSync('npx', ['vitest', 'run', '--no-file-parallelism', ...filters], {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, INTERLOCK_TESTS: 'all', INTERLOCK_RECORD_HISTORIES: 'yes' },
  });
  return status === 0;
}

const isRecorded = run('line', 'stories', 'releases', 'verifications', 'runbooks');
process.exitCode = isRecorded && run('replay') ? 0 : 1;
