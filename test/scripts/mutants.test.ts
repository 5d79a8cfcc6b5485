// `npm run mutants` replaces texts in the sources. Each text must occur exactly once, and the tests must exist.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { judgePlanted, judgeTests, type Result } from '../../scripts/fault-results.mjs';
import { configurations } from '../simulation/configurations.ts';
import { mutants } from '../support/mutants.mjs';

it.each(mutants)('can plant that $what', ({ file, from, to, tests, configuration }) => {
  expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  expect(tests.filter((test) => !existsSync(test))).toEqual([]);
  const names: readonly string[] = configurations.map(({ name }) => name);
  expect([...names, undefined]).toContain(configuration);
});

const day: Result = { seed: 1, days: 0.25, steps: 100, landings: 3, faults: 9, cpuSec: 8, problem: null };

it.each([
  [
    'a broken rule',
    [day, { ...day, problem: '#3 landed twice.\nAt …' }],
    1,
    true,
    'found after 0.50 days and 16 s of CPU under 2 seeds by "#3 landed twice."',
  ],
  ['a run in which all rules hold', [day], 0, false, 'NOT FOUND after 0.25 days and 8 s of CPU under 1 seeds'],
  ['a run that does not start', [], 1, false, 'NOT FOUND after 0.00 days and 0 s of CPU under 0 seeds, NOT STARTED'],
  ['a run that is stopped', [day], null, false, 'NOT FOUND after 0.25 days and 8 s of CPU under 1 seeds, NOT ENDED'],
  [
    'a run that fails without a broken rule',
    [day],
    1,
    false,
    'NOT FOUND after 0.25 days and 8 s of CPU under 1 seeds, FAILED',
  ],
] as const)('counts a planted fault as found only by a broken rule: %s', (_, results, status, isFound, text) => {
  expect(judgePlanted(results, status)).toEqual({ isFound, text });
});

const passed = { fullName: 'lands in order', status: 'passed' };
const failed = { fullName: 'does not land in a pause', status: 'failed' };
const skipped = { fullName: 'lands after the pause', status: 'skipped' };

it.each([
  ['a failed test', [passed, failed, skipped], 1, true, 'found by "does not land in a pause"'],
  ['a run in which all tests pass', [passed], 0, false, 'NOT FOUND'],
  ['a run without a report', null, 1, false, 'NOT FOUND, NOT STARTED'],
  ['a run in which no test began', [skipped], 1, false, 'NOT FOUND, NOT STARTED'],
  ['a run that is stopped', null, null, false, 'NOT FOUND, NOT ENDED'],
  ['a run that fails beside its tests', [passed], 1, false, 'NOT FOUND, FAILED'],
] as const)('counts a planted fault as found only by a failed test: %s', (_, tests, status, isFound, text) => {
  const report = tests === null ? null : { testResults: [{ assertionResults: tests }] };
  expect(judgeTests(report, status)).toEqual({ isFound, text });
});
