// `npm run chaos` kills all kinds of processes and disturbs the network, at random and under load.
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { runFullTest } from './full-test.mjs';
import { SetupError, findNode, finish, isHelpShown, prepare } from './toolchain.mjs';

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
  return await runFullTest(node, 'chaos.full.test.ts', {
    CHAOS_KILLS: numberOf('kills', kills),
    CHAOS_SEED: numberOf('seed', seed),
  });
}

const usage = `Usage: npm run chaos [-- --kills <number>] [--seed <number>]

Starts two servers, two workers, PostgreSQL and Temporal, and kills one, some or all of them, or disturbs the network to
PostgreSQL or Temporal, at random, 100 times unless --kills says another number, while pull requests land, deployments run
and webhooks are sent. At the end nothing may be lost or have happened twice. The same seed gives the same faults.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(chaos(process.argv.slice(2)));
