// `npm run chaos` kills all kinds of processes, disturbs the network, fills a disk and sets clocks, at random and under
// load.
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

Tests whether Interlock survives faults. It starts two servers, two workers, PostgreSQL and Temporal, and gives them
work: pull requests land, deployments and runbooks run, and webhooks are sent. Meanwhile it kills one, some or all of the
processes at random. Between the kills it disturbs the network to PostgreSQL or Temporal, fills the disk of the
repositories, and sets the clock of a server or worker one to five minutes ahead or behind. Filling a disk needs the
program unshare. Setting a clock needs libfaketime: the package libfaketime of Debian, or its libfaketimeMT.so.1 named by
the variable FAKETIME_LIBRARY. A run without one of them says that it leaves these faults out.

  --kills <number>   how many kills (default: 100)
  --seed <number>    the same seed gives the same faults in the same order (default: 1)
  --queued <number>  how many pull requests are queued in all (default: twice as many as kills). A quarter of them is in
                     line before the first fault
  --json             print the report as one JSON document on standard output, and everything else on standard error

After each fault the invariants of \`npm run doctor\` must hold. At the end nothing may be lost, and nothing may have
happened twice. The exit code is 1 if one of these rules is broken. The report says how long after each kind of fault
every process was ready again, and when the next pull request landed. With 100 kills or more it also says whether, after
95 of 100 kills, every process was ready within 10 s and a pull request landed within 15 s.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(chaos(process.argv.slice(2)));
