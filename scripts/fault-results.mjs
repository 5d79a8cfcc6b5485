// The results of simulations of faults, which test/simulation/faults.full.test.ts writes: a line of JSON for each seed.
// And what runs with planted faults have shown.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './toolchain.mjs';

/**
 * The arguments of Node that run the simulation. The file stands before the option, because Vitest takes a word behind
 * the option as its value, and would then run all tests.
 */
export const simulationArguments = [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  join('test', 'simulation', 'faults.full.test.ts'),
  '--disable-console-intercept',
];

export function readResults(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export function total(results) {
  const sum = (of) => results.reduce((before, result) => before + of(result), 0);
  return {
    days: sum(({ days }) => days),
    steps: sum(({ steps }) => steps),
    landings: sum(({ landings }) => landings),
    faults: sum(({ faults }) => faults),
    cpuSec: sum(({ cpuSec }) => cpuSec),
  };
}

/**
 * The seeds from which a run goes on that was stopped. The results are those of each process: with two processes, each
 * plays every second seed. Null: no seed is left.
 */
export function whatIsLeft(results, { seed, seeds }) {
  const next = Math.min(...results.map(({ length }, job) => seed + job + length * results.length));
  return next < seed + seeds ? { seed: next, seeds: seed + seeds - next } : null;
}

/** The line about the results so far. */
export function sumUp(results) {
  const { days, steps, landings, faults, cpuSec } = total(results);
  const aDay = days === 0 ? '' : ` (${(cpuSec / days).toFixed(1)} s a day)`;
  return `${results.length} seeds, ${days.toFixed(1)} days, ${steps} steps, ${landings} landings, ${faults} faults, ${cpuSec.toFixed(0)} s of CPU${aDay}, with PostgreSQL and git.`;
}

/**
 * What a run with a planted fault has shown. `status` is the exit code, or null if the run was stopped because it took
 * too long. Only a broken rule shows the fault: a run that did not start, or did not end, shows nothing.
 */
export function judgePlanted(results, status) {
  const { days, cpuSec } = total(results);
  const after = `after ${days.toFixed(2)} days and ${cpuSec.toFixed(0)} s of CPU under ${results.length} seeds`;
  const problem = results.at(-1)?.problem ?? null;
  if (problem !== null) return { isFound: true, text: `found ${after} by "${problem.split('\n')[0]}"` };
  const ending =
    status === 0 ? '' : status === null ? ', NOT ENDED' : results.length === 0 ? ', NOT STARTED' : ', FAILED';
  return { isFound: false, text: `NOT FOUND ${after}${ending}` };
}

/**
 * What the tests have shown that ran with a planted fault. `report` is the report of Vitest, or null if it wrote none.
 * `status` is the exit code, or null if the run was stopped because it took too long. Only a failed test shows the
 * fault: a run that did not start, or did not end, shows nothing.
 */
export function judgeTests(report, status) {
  const tests = (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find((test) => test.status === 'failed');
  if (failed !== undefined) return { isFound: true, text: `found by "${failed.fullName}"` };
  const hasStarted = tests.some((test) => test.status === 'passed');
  const ending = status === 0 ? '' : status === null ? ', NOT ENDED' : hasStarted ? ', FAILED' : ', NOT STARTED';
  return { isFound: false, text: `NOT FOUND${ending}` };
}
