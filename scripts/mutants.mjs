// `npm run mutants` plants one fault after the other in the code that keeps landings safe, and runs the tests that
// should find the fault. The sources are not changed: vitest.config.ts reads MUTANT, and changes the text that the tests
// load.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutants } from '../test/support/mutants.mjs';
import { findNode, finish, isHelpShown, prepare, root, toolEnvironment } from './toolchain.mjs';

const maxMinutes = 10;

function judge(node, index) {
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const startedAt = Date.now();
  const { status } = spawnSync(node, [program, 'run', '--bail', '1', ...mutants[index].tests], {
    cwd: root,
    env: { ...toolEnvironment(node), MUTANT: String(index) },
    timeout: maxMinutes * 60_000,
    stdio: 'ignore',
  });
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  return { isFound: status !== 0, seconds, isSlow: status === null };
}

async function run(args) {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } });
  prepare();
  const node = findNode();
  const chosen = mutants.flatMap(({ what }, index) =>
    values.only === undefined || what.includes(values.only) ? [index] : [],
  );
  const survivors = [];
  for (const index of chosen) {
    const { what, tests } = mutants[index];
    const { isFound, seconds, isSlow } = judge(node, index);
    if (!isFound) survivors.push(what);
    const verdict = isSlow ? 'found: no end' : isFound ? 'found' : 'NOT FOUND';
    console.log(`${verdict} in ${seconds} s by ${tests.join(' ')}: ${what}`);
  }
  console.log(`${chosen.length - survivors.length} of ${chosen.length} planted faults were found.`);
  return survivors.length === 0 ? 0 : 1;
}

const usage = `Usage: npm run mutants [-- --only <words>]

Plants faults in locks, leases, the outbox, the sequencer and landings, one at a time, and runs the tests that should find
them. --only: those whose description has these words. Exit code 1: one was not found.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(run(process.argv.slice(2)));
