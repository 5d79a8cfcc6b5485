// `npm test`: builds, runs every test and every check, and closes with `N passed, N failed`. Arguments choose tests and
// leave the checks out: `npm test -- test/domain`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './check.mjs';
import { findNode, finish, prepare, root, runForeground, seconds, toolEnvironment } from './toolchain.mjs';

async function test(args) {
  prepare();
  const node = findNode();
  const startedAt = Date.now();
  const isBuilt = ensureBuilt(node);
  const vitest = await runVitest(node, args);
  console.log(`tests … ${seconds(startedAt)}`);
  const failedChecks = [...(isBuilt ? [] : ['build']), ...(args.length === 0 ? runChecks(node) : [])];
  const { passed, failed } = total(vitest, failedChecks);
  reportFlaky(vitest.report);
  if (failedChecks.length > 0) console.log(`Failed checks: ${failedChecks.join(', ')}.`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function runVitest(node, args) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-report-'));
  const reportFile = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const status = await runForeground(node, [program, 'run', ...reporters, ...args], { env: toolEnvironment(node) });
    return { status, report: readReport(reportFile) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Vitest writes no report when it cannot start.
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0 };
  }
}

/** Tests against real processes are tried once more when they fail: what passed only then is named, never silent. */
function reportFlaky({ testResults = [] }) {
  for (const { name, assertionResults } of testResults)
    for (const { fullName, status, failureMessages } of assertionResults)
      if (status === 'passed' && failureMessages.length > 0)
        console.log(`Passed only when tried again: ${relative(root, name)}: ${fullName}\n${failureMessages[0]}`);
}

/** A run that failed without a failed test (a file that does not load, an unhandled rejection) counts as one. */
export function total({ status, report }, failedChecks) {
  const failedTests = status !== 0 && report.numFailedTests === 0 ? 1 : report.numFailedTests;
  return { passed: report.numPassedTests, failed: failedTests + failedChecks.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) finish(test(process.argv.slice(2)));
