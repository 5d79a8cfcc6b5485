// `npm test` builds, runs the tests and every check, and ends with `N passed, N failed`. `--all` runs the tests of the
// full tier too. Arguments choose tests, as in `npm test -- test/domain`, and then no checks run. `--changed [commit]`
// chooses the tests that the changes since the commit affect most. The default is the last commit.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { affectedTests, listChanged } from './affected.mjs';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './check.mjs';
import { makeTemporaryFolder } from './temporary-folder.mjs';
import { findNode, finish, isHelpShown, prepare, root, runForeground, seconds, toolEnvironment } from './toolchain.mjs';

async function test(args) {
  prepare();
  const node = findNode();
  const startedAt = Date.now();
  const isBuilt = ensureBuilt(node);
  const { isFull, runs, isChosen } = readArguments(args);
  const temporary = makeTemporaryFolder();
  const env = {
    ...toolEnvironment(node),
    TMPDIR: temporary.path,
    // Tests start the same programs again and again, so their compiled code is cached.
    NODE_COMPILE_CACHE: join(temporary.path, 'compile-cache'),
    ...(isFull ? { INTERLOCK_TESTS: 'all' } : {}),
  };
  const outcomes = [];
  try {
    for (const run of runs) outcomes.push(await runVitest(node, run, { env, folder: temporary.path }));
  } finally {
    temporary.remove();
  }
  console.log(`tests … ${seconds(startedAt)}`);
  const failedChecks = [...(isBuilt ? [] : ['build']), ...(isChosen ? [] : await runChecks(node))];
  const { passed, failed } = total(outcomes, failedChecks);
  if (failedChecks.length > 0) console.log(`Failed checks: ${failedChecks.join(', ')}.`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Reads the arguments. `runs`: the arguments of each run of vitest. `isChosen`: only some tests are run. */
function readArguments(args) {
  const rest = args.filter((arg) => arg !== '--all');
  const isFull = rest.length < args.length;
  const at = rest.indexOf('--changed');
  if (at === -1) return { isFull, runs: [['run', ...rest]], isChosen: rest.length > 0 };
  const { filters, related } = affectedTests(listChanged(rest[at + 1]));
  const runs = [
    ...(related.length > 0 ? [['related', '--run', '--project', 'pure', ...related]] : []),
    ...(filters.length > 0 ? [['run', ...filters]] : []),
  ];
  console.log(`By folder: ${filters.join(', ') || 'nothing'}. By imports: the tests that need no server.`);
  return { isFull, runs, isChosen: true };
}

async function runVitest(node, args, { env, folder }) {
  const [command, ...rest] = args;
  // Each run has its own report file. If a run does not start, the report of the run before must not be counted for it.
  const reportFile = join(folder, `${command}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const status = await runForeground(node, [program, command, ...reporters, ...rest], { env });
  return { status, report: readReport(reportFile) };
}

// If vitest cannot start, it writes no report.
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0 };
  }
}

/**
 * Adds the results up. A run that failed without a failed test (a file that does not load, an unhandled rejection)
 * counts as one failure.
 */
export function total(outcomes, failedChecks) {
  const failures = outcomes.map(({ status, report }) =>
    status !== 0 && report.numFailedTests === 0 ? 1 : report.numFailedTests,
  );
  const sum = (numbers) => numbers.reduce((before, number) => before + number, 0);
  return {
    passed: sum(outcomes.map(({ report }) => report.numPassedTests)),
    failed: sum(failures) + failedChecks.length,
  };
}

const usage = `Usage: npm test [-- <tests>... | --changed [commit]]
       npm run test:all

Builds, runs the tests and then every check. test:all runs the tests in full. Named tests, or those that the changes since
a commit affect most, run without the checks. Other arguments are those of vitest.`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  if (!isHelpShown(args, usage)) finish(test(args));
}
