// Run by hand, after a change of the workflows that is meant to differ: the tests of this folder run, and what Temporal
// holds of their runs replaces histories/.   npx tsx test/workflows/record-histories.ts
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';

const folder = join('test', 'workflows');
rmSync(join(projectRoot, folder, 'histories'), { recursive: true, force: true });
const tests = ['line', 'stories', 'releases', 'verifications', 'runbooks', 'outage', 'replay'].map((name) =>
  join(folder, `${name}.test.ts`),
);
const { status } = spawnSync('npx', ['vitest', 'run', '--no-file-parallelism', ...tests], {
  cwd: projectRoot,
  stdio: 'inherit',
  env: { ...process.env, INTERLOCK_RECORD_HISTORIES: 'yes' },
});
process.exitCode = status ?? 1;
