// `npm run chaos` kills all kinds of processes, disturbs the network and fills a disk, at random and under load.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { runFullTest } from './full-test.mjs';
import { SetupError, findNode, finish, isHelpShown, prepare } from './toolchain.mjs';

const numbers = { kills: '100', seed: '1', queued: undefined };

/** The settings of the test that the arguments name. */
function settingsFrom(values) {
  const given = Object.entries(values).filter(([name, text]) => name in numbers && text !== undefined);
  return Object.fromEntries(
    given.map(([name, text]) => {
      if (!/^[1-9]\d{0,8}$/.test(text)) throw new SetupError(`--${name} must be a whole number above 0, not ${text}.`);
      return [`CHAOS_${name.toUpperCase()}`, text];
    }),
  );
}

async function chaos(args) {
  const options = Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: 'string' }]));
  const { json, ...values } = parseArgs({ args, options: { ...options, json: { type: 'boolean' } } }).values;
  const settings = settingsFrom({ ...numbers, ...values });
  prepare();
  const node = findNode();
  const output = json ? 'stderr' : 'stdout';
  if (!ensureBuilt(node, { output })) return 1;
  const test = 'chaos.full.test.ts';
  if (!json) return await runFullTest(node, test, settings);
  const folder = mkdtempSync(join(tmpdir(), 'interlock-chaos-'));
  const file = join(folder, 'report.json');
  try {
    const code = await runFullTest(node, test, { ...settings, CHAOS_JSON: file }, { output });
    if (existsSync(file)) console.log(readFileSync(file, 'utf8'));
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const usage = `Usage: npm run chaos [-- --kills <number>] [--seed <number>] [--queued <number>] [--json]

Starts two servers, two workers, PostgreSQL and Temporal, and kills one, some or all of them at random, --kills times (100
unless given), while pull requests land, deployments and runbooks run, and webhooks are sent. Between the kills it disturbs
the network to PostgreSQL or Temporal, and fills the disk of the repositories, which needs unshare. The same seed (1 unless
given) gives the same faults in the same order.

--queued says how many pull requests are queued in all, twice as many as kills unless given. A quarter of them is in line
before the first fault.

After each fault the doctor's invariants must hold. At the end nothing may be lost or have happened twice. The report says
how soon after kills, network faults and full disks everything was ready and the next pull request landed. From 100 kills
on it also says whether 95 of 100 were over within 10 s and 15 s. --json prints the report as one JSON document on standard
output, and everything else on standard error.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(chaos(process.argv.slice(2)));
