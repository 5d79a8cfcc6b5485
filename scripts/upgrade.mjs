// `npm run test:upgrade` runs an earlier version and this version side by side (docs/upgrading.md).
import { runFullTest } from './full-test.mjs';
import { SetupError, findNode, finish, isHelpShown, prepare } from './toolchain.mjs';

async function upgrade(args) {
  const [flag, from, ...rest] = args;
  if (rest.length > 0 || (flag !== undefined && (flag !== '--from' || from === undefined)))
    throw new SetupError('Name the earlier version by --from <commit or tag>, or give no arguments.');
  prepare();
  const settings = from === undefined ? {} : { INTERLOCK_UPGRADE_FROM: from };
  return await runFullTest(findNode(), 'upgrade.full.test.ts', settings);
}

const usage = `Usage: npm run test:upgrade [-- --from <commit or tag>]

Upgrades from an earlier version to this one and back, without stopping, while pull requests land. The earlier version is
the last release (docs/upgrading.md says which), or else the newest commit before this one that changed migrations.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(upgrade(process.argv.slice(2)));
