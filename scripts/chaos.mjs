// `npm run chaos`: kills of all processes at random, under load.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
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

function numberOf(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new SetupError(`--${name} must be a whole number above 0, not ${text}.`);
  return text;
}

async function chaos(args) {
  const options = { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } };
  const { kills, seed } = parseArgs({ args, options }).values;
  prepare();
  const node = findNode();
  if (!ensureBuilt(node)) return 1;
  const temporary = makeTemporaryFolder();
  const env = {
    ...toolEnvironment(node),
    TMPDIR: temporary.path,
    INTERLOCK_TESTS: 'all',
    CHAOS_KILLS: numberOf('kills', kills),
    CHAOS_SEED: numberOf('seed', seed),
  };
  try {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    return await runForeground(node, [program, 'run', join('test', 'e2e', 'chaos.full.test.ts')], { env });
  } finally {
    temporary.remove();
  }
}

const usage = `Usage: npm run chaos [-- --kills <number>] [--seed <number>]

Starts two servers, two workers, PostgreSQL and Temporal, and kills one, some or all of them at random, 100 times unless
--kills says another number, while pull requests land, deployments run and webhooks are sent. At the end nothing may be
lost or have happened twice. The same seed kills in the same order.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(chaos(process.argv.slice(2)));
