// Builds once per run the programs that these tests start. Does nothing if `npm test` has built them already.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';

export default function build(): void {
  const { status } = spawnSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The build failed; nothing can be started.');
}
