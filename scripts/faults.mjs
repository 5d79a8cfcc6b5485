// `npm run simulate:faults` runs the whole installation on a virtual clock, with faults that a seed decides.
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

const rules = {
  seed: { form: /^\d{1,9}$/, words: 'a whole number' },
  seeds: { form: /^[1-9]\d{0,5}$/, words: 'a whole number above 0' },
  days: { form: /^\d{1,5}(\.\d+)?$/, words: 'a number of days' },
  steps: { form: /^\d{1,9}$/, words: 'a whole number' },
  without: { form: /^\d+(-\d+)?(,\d+(-\d+)?)*$/, words: 'steps, such as 1-3,7' },
  calm: { form: /^\d+(-\d+)?(,\d+(-\d+)?)*$/, words: 'steps, such as 1-3,7' },
};

async function simulate(args) {
  const options = Object.fromEntries(Object.keys(rules).map((name) => [name, { type: 'string' }]));
  const { values } = parseArgs({ args, options: { ...options, steps: { type: 'string' }, tell: { type: 'boolean' } } });
  const given = {};
  for (const [name, { form, words }] of Object.entries(rules)) {
    const text = values[name];
    if (text === undefined) continue;
    if (!form.test(text)) throw new SetupError(`--${name} must be ${words}, not ${text}.`);
    given[`FAULTS_${name.toUpperCase()}`] = text;
  }
  prepare();
  const node = findNode();
  if (!ensureBuilt(node)) return 1;
  const temporary = makeTemporaryFolder();
  const env = {
    ...toolEnvironment(node),
    TMPDIR: temporary.path,
    INTERLOCK_TESTS: 'all',
    FAULTS_SEED: '1',
    ...given,
    ...(values.tell ? { FAULTS_TELL: 'yes' } : {}),
  };
  try {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const file = join('test', 'simulation', 'faults.full.test.ts');
    return await runForeground(node, [program, 'run', '--disable-console-intercept', file], { env });
  } finally {
    temporary.remove();
  }
}

const usage = `Usage: npm run simulate:faults [-- --seed <number>] [--seeds <number>] [--days <number>] [--tell]

Runs two processes of the service over a real PostgreSQL and real git on a virtual clock: --days days (1 unless given)
for each of --seeds seeds (1 unless given) from --seed on. The seed decides who acts, what goes on and which faults happen.
After each step the rules of docs/fault-simulation.md are compared. A seed that fails is run again until its history is
short, and the command is printed that repeats it, with these options:

  --steps    how many steps there are
  --without  steps that are left out, such as 1-3,7
  --calm     steps whose fault is left out

--tell prints each step.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(simulate(process.argv.slice(2)));
