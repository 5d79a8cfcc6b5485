// `npm run test:upgrade`: an earlier version and this one side by side. docs/upgrading.md.
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary-folder.mjs';
import {
  SetupError,
  findNode,
  finish,
  isHelpShown,
  prepare,
  root,
  runForeground,
  toolEnvironment,
} from './toolchain.mjs';

async function upgrade(args) {
  const [flag, from, ...rest] = args;
  if (rest.length > 0 || (flag !== undefined && (flag !== '--from' || from === undefined)))
    throw new SetupError('Name the earlier version by --from <commit or tag>, or give no arguments.');
  prepare();
  const node = findNode();
  const temporary = makeTemporaryFolder();
  const env = {
    ...toolEnvironment(node),
    TMPDIR: temporary.path,
    INTERLOCK_TESTS: 'all',
    ...(from === undefined ? {} : { INTERLOCK_UPGRADE_FROM: from }),
  };
  try {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    return await runForeground(node, [program, 'run', join('test', 'e2e', 'upgrade.full.test.ts')], { env });
  } finally {
    temporary.remove();
  }
}

const usage = `Usage: npm run test:upgrade [-- --from <commit or tag>]

Upgrades from an earlier version to this one and back, without stopping, while pull requests land. The earlier version is
the last release (docs/upgrading.md says which), or else the newest commit before this one that changed migrations.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(upgrade(process.argv.slice(2)));
