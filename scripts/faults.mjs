// `npm run simulate:faults` runs the whole installation on a virtual clock, with faults that a seed decides.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { findCores, onCore } from './cores.mjs';
import { readResults, simulationArguments, sumUp, whatIsLeft } from './fault-results.mjs';
import { makeTemporaryFolder } from './temporary-folder.mjs';
import { SetupError, findNode, finish, isHelpShown, prepare, root, toolEnvironment } from './toolchain.mjs';

const rules = {
  seed: { form: /^\d{1,9}$/, words: 'a whole number' },
  seeds: { form: /^[1-9]\d{0,5}$/, words: 'a whole number above 0' },
  days: { form: /^\d{1,5}(\.\d+)?$/, words: 'a number of days' },
  steps: { form: /^\d{1,9}$/, words: 'a whole number' },
  without: { form: /^\d+(-\d+)?(,\d+(-\d+)?)*$/, words: 'steps, such as 1-3,7' },
  calm: { form: /^\d+(-\d+)?(,\d+(-\d+)?)*$/, words: 'steps, such as 1-3,7' },
  jobs: { form: /^[1-9]\d?$/, words: 'a whole number above 0' },
};

function readOptions(args) {
  const options = Object.fromEntries(Object.keys(rules).map((name) => [name, { type: 'string' }]));
  const switches = { tell: { type: 'boolean' }, 'keep-going': { type: 'boolean' } };
  const { values } = parseArgs({ args, options: { ...options, ...switches } });
  for (const [name, { form, words }] of Object.entries(rules))
    if (values[name] !== undefined && !form.test(values[name]))
      throw new SetupError(`--${name} must be ${words}, not ${String(values[name])}.`);
  return values;
}

/** A run with more seeds prints its progress instead of a line for each seed. */
const mostLines = 100;
const progressEveryMs = 60_000;

async function simulate(args) {
  const values = readOptions(args);
  prepare();
  const node = findNode();
  if (!ensureBuilt(node)) return 1;
  const temporary = makeTemporaryFolder();
  const run = { seed: Number(values.seed ?? 1), seeds: Number(values.seeds ?? 1) };
  const jobs = Math.min(run.seeds, Number(values.jobs ?? 1), availableParallelism());
  const files = Array.from({ length: jobs }, (_, job) => join(temporary.path, `results-${job}.jsonl`));
  const environments = environmentsOf({ values, node, run, folder: temporary.path, files });
  const say = () => {
    const results = files.map(readResults);
    const left = whatIsLeft(results, run);
    const again = left === null ? '' : ` To go on from here: --seed ${left.seed} --seeds ${left.seeds}`;
    console.log(`${sumUp(results.flat())}${again}`);
  };
  const progress = run.seeds > mostLines ? setInterval(say, progressEveryMs) : undefined;
  try {
    return await runAll(node, environments, { stopsAtFailure: !values['keep-going'] });
  } finally {
    clearInterval(progress);
    say();
    temporary.remove();
  }
}

/** The environment of each process. The processes share the seeds: with two, each plays every second one. */
function environmentsOf({ values, node, run, folder, files }) {
  const given = ['days', 'steps', 'without', 'calm'].filter((name) => values[name] !== undefined);
  const shared = {
    ...toolEnvironment(node),
    TMPDIR: folder,
    INTERLOCK_TESTS: 'all',
    FAULTS_STRIDE: String(files.length),
    ...Object.fromEntries(given.map((name) => [`FAULTS_${name.toUpperCase()}`, values[name]])),
    ...(values.tell ? { FAULTS_TELL: 'yes' } : {}),
    ...(values['keep-going'] ? { FAULTS_KEEP_GOING: 'yes' } : {}),
    ...(run.seeds > mostLines ? { FAULTS_LINES: 'no' } : {}),
  };
  return files.map((file, job) => ({
    ...shared,
    FAULTS_SEED: String(run.seed + job),
    FAULTS_SEEDS: String(Math.ceil((run.seeds - job) / files.length)),
    FAULTS_RESULTS: file,
  }));
}

/**
 * Runs a process for each environment. Several processes get a core each. One process alone runs on any core, because
 * another run may be on the first. Resolves with the first bad exit code, and first stops the others if asked.
 */
async function runAll(node, environments, { stopsAtFailure }) {
  const cores = environments.length === 1 ? [] : findCores();
  const children = environments.map((env, job) => {
    const [command, ...args] = onCore(cores[job], [node, ...simulationArguments]);
    return spawn(command, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  });
  const stopAll = (signal) => children.forEach((child) => child.exitCode === null && child.kill(signal));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, stopAll);
  let failed = 0;
  const ends = children.map(
    (child) =>
      new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (code) => {
          if (code !== 0) {
            failed ||= code ?? 1;
            if (stopsAtFailure) stopAll('SIGTERM');
          }
          resolve();
        });
      }),
  );
  await Promise.all(ends);
  for (const signal of signals) process.off(signal, stopAll);
  return failed;
}

const usage = `Usage: npm run simulate:faults [-- --seed <number>] [--seeds <number>] [--days <number>] [--jobs <number>]
       [--keep-going] [--tell]

Runs two processes of the service over a real PostgreSQL and real git on a virtual clock: --days days (1 unless given)
for each of --seeds seeds (1 unless given) from --seed on. The seed decides who acts, what goes on and which faults happen.
After each step the rules of docs/fault-simulation.md are compared. --jobs processes (1 unless given) share the seeds; if
they are several, each gets a core. The first seed that fails stops all of them. It is run again until its history is
short, and the command is printed that repeats it, with these options:

  --steps    how many steps there are
  --without  steps that are left out, such as 1-3,7
  --calm     steps whose fault is left out

--keep-going plays all seeds, and prints each seed that fails without running it again. --tell prints each step. The last
line says how many days, steps and faults there were, and how much CPU they took. A run with more than ${mostLines} seeds prints
such a line every minute. If seeds are left, also after Ctrl-C, the line says from which seed to go on.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(simulate(process.argv.slice(2)));
