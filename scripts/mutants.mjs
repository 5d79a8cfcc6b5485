// `npm run mutants` plants one fault after the other in the code that keeps landings safe, and runs the tests that
// should find the fault. The sources are not changed: vitest.config.ts reads MUTANT, and changes the text that the tests
// load.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutants } from '../test/support/mutants.mjs';
import { judgePlanted, judgeTests, readResults, simulationArguments } from './fault-results.mjs';
import { makeTemporaryFolder } from './temporary-folder.mjs';
import { SetupError, findNode, finish, isHelpShown, prepare, root, toolEnvironment } from './toolchain.mjs';

const maxMinutes = 10;
/** The simulation looks for a fault under at most this many seeds. */
const maxSeeds = 120;
/** The days of each seed. At the end of a seed more rules are compared, so many seeds find most faults sooner. */
const daysOfSeed = 1;
/** No seed begins after the simulation has used this much CPU. */
const maxCpuSec = 240;

/** Runs the tests that should find the fault, until one fails. */
function judgeByTests(node, index) {
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const temporary = makeTemporaryFolder();
  const file = join(temporary.path, 'report.json');
  try {
    const reporting = ['--bail', '1', '--reporter', 'json', '--outputFile', file];
    const { status } = spawnSync(node, [program, 'run', ...mutants[index].tests, ...reporting], {
      cwd: root,
      env: { ...toolEnvironment(node), TMPDIR: temporary.path, MUTANT: String(index) },
      timeout: maxMinutes * 60_000,
      stdio: 'ignore',
    });
    return judgeTests(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null, status);
  } finally {
    temporary.remove();
  }
}

/** Runs the simulation with the planted fault, seed after seed, until a rule is broken. */
function judgeBySimulation(node, index) {
  const temporary = makeTemporaryFolder();
  const file = join(temporary.path, 'results.jsonl');
  try {
    const { status } = spawnSync(node, simulationArguments, {
      cwd: root,
      env: {
        ...toolEnvironment(node),
        TMPDIR: temporary.path,
        INTERLOCK_TESTS: 'all',
        MUTANT: String(index),
        FAULTS_SEED: '1',
        FAULTS_CONFIGURATION: mutants[index].configuration ?? '',
        FAULTS_SEEDS: String(maxSeeds),
        FAULTS_DAYS: String(daysOfSeed),
        FAULTS_CPU: String(maxCpuSec),
        FAULTS_SHORTEN: 'no',
        FAULTS_RESULTS: file,
      },
      timeout: maxMinutes * 60_000,
      stdio: 'ignore',
    });
    return judgePlanted(readResults(file), status);
  } finally {
    temporary.remove();
  }
}

/** Returns whether the fault was found, and prints how. */
function look(node, index, by) {
  const startedAt = Date.now();
  const { isFound, text } = by === 'simulation' ? judgeBySimulation(node, index) : judgeByTests(node, index);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${mutants[index].what}: ${text}, in ${seconds} s`);
  return isFound;
}

async function run(args) {
  const options = { only: { type: 'string' }, by: { type: 'string', default: 'tests' } };
  const { only, by } = parseArgs({ args, options }).values;
  if (by !== 'tests' && by !== 'simulation')
    throw new SetupError(`--by must be tests or simulation, not ${String(by)}.`);
  prepare();
  const node = findNode();
  const isMeant = ({ what, tests }) =>
    (only === undefined || what.includes(only)) && (by === 'simulation' || tests.length > 0);
  const meant = mutants.flatMap((mutant, index) => (isMeant(mutant) ? [index] : []));
  const isHidden = (index) => by === 'simulation' && mutants[index].hidden !== undefined;
  for (const { what, hidden } of meant.filter(isHidden).map((index) => mutants[index]))
    console.log(`${what}: not looked for. ${hidden}`);
  const chosen = meant.filter((index) => !isHidden(index));
  const found = chosen.filter((index) => look(node, index, by));
  console.log(`${found.length} of ${chosen.length} planted faults were found.`);
  return found.length === chosen.length ? 0 : 1;
}

const usage = `Usage: npm run mutants [-- --only <words>] [--by tests|simulation]

Tests the tests. It plants faults in the code of locks, leases, webhooks, the event log and landings, one at a time, and
runs the tests that should fail because of the fault. A fault that no test finds shows that a test is missing. The files of
the sources stay as they are.

  --only <words>   only the faults whose description has these words
  --by tests       run the tests that are listed for each fault (default)
  --by simulation  run the simulation of faults instead (docs/fault-simulation.md), under up to ${maxSeeds} seeds for each
                   fault. It prints how long it ran until a rule was broken, and which rule. Of a fault that it cannot
                   show, it prints why

The exit code is 1 if a fault was not found.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(run(process.argv.slice(2)));
