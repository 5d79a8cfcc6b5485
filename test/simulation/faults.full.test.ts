// More seeds and days under faults. `npm run simulate:faults` and `npm run mutants -- --by simulation` run this file too.
// They select seeds and days by environment variables, and read the results from a file.
import { appendFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { configurations } from './configurations.ts';
import { readCpuSec, totalOf, type CpuSec } from './cpu.ts';
import { asCommand, minimise, readRanges } from './minimise.ts';
import { simulate, type Outcome, type Simulation } from './simulate.ts';

const asked = process.env;
const firstSeed = Number(asked['FAULTS_SEED'] ?? 300);
const seeds = Number(asked['FAULTS_SEEDS'] ?? (asked['FAULTS_SEED'] === undefined ? 100 : 1));
/** Only seeds that begin with this configuration are played. Empty: all are played. */
const wanted = asked['FAULTS_CONFIGURATION'] ?? '';
const configuration = configurations.findIndex(({ name }) => name === wanted);
if (wanted !== '' && configuration === -1) throw new Error(`There is no configuration ${wanted}.`);
/** The distance between two seeds, if several processes share the seeds. */
const stride = Number(asked['FAULTS_STRIDE'] ?? 1);
/** No seed begins after this much CPU. */
const maxCpuSec = Number(asked['FAULTS_CPU'] ?? Number.POSITIVE_INFINITY);

function seedAt(nth: number): number {
  if (configuration === -1) return firstSeed + nth * stride;
  const first = Math.ceil((firstSeed - configuration) / configurations.length);
  return configuration + (first + nth * stride) * configurations.length;
}

function givenFor(seed: number): Simulation {
  const { FAULTS_DAYS: days = '1', FAULTS_STEPS: steps, FAULTS_WITHOUT: without, FAULTS_CALM: calm } = asked;
  return {
    seed,
    days: Number(days),
    ...(steps !== undefined && { steps: Number(steps) }),
    ...(without !== undefined && { without: readRanges(without) }),
    ...(calm !== undefined && { calm: readRanges(calm) }),
    ...(asked['FAULTS_TELL'] !== undefined && { tell: (line: string) => console.log(line) }),
  };
}

it('keeps every rule under each seed', { timeout: 7 * 24 * 3_600_000 }, async () => {
  let used = 0;
  const broken: string[] = [];
  for (let nth = 0; nth < seeds && used < maxCpuSec; nth += 1) {
    const given = givenFor(seedAt(nth));
    const before = await readCpuSec();
    const outcome = await simulate(given);
    const cpuSec = difference(await readCpuSec(), before);
    used += totalOf(cpuSec);
    if (asked['FAULTS_LINES'] !== 'no') console.log(describe(given, outcome, cpuSec));
    await report(given, outcome, totalOf(cpuSec));
    if (outcome.problems.length === 0) continue;
    if (asked['FAULTS_KEEP_GOING'] !== undefined) {
      broken.push(`Seed ${given.seed} breaks a rule: ${outcome.problems.join('\n')}\nAgain: ${asCommand(given)}`);
      console.log(broken.at(-1));
      continue;
    }
    expect(asked['FAULTS_SHORTEN'] === 'no' ? outcome.problems : await explain(given, outcome)).toBe('');
  }
  expect(broken).toEqual([]);
});

const faultsOf = ({ faultKinds }: Outcome): number => Object.values(faultKinds).reduce((sum, each) => sum + each, 0);

function difference(after: CpuSec, before: CpuSec): CpuSec {
  return { own: after.own - before.own, git: after.git - before.git, postgres: after.postgres - before.postgres };
}

function describe({ seed }: Simulation, outcome: Outcome, cpuSec: CpuSec): string {
  const { days, steps, landings, pullRequests, digest } = outcome;
  const { own, git, postgres } = cpuSec;
  const cpu = `${totalOf(cpuSec).toFixed(1)} s of CPU (${own.toFixed(1)} own, ${git.toFixed(1)} git, ${postgres.toFixed(1)} PostgreSQL)`;
  return `Seed ${seed}: ${days.toFixed(2)} days, ${steps} steps, ${pullRequests} pull requests, ${landings} landings, ${faultsOf(outcome)} faults, ${cpu}, digest ${digest}.`;
}

/** Appends a line of JSON to the file of results. */
async function report({ seed }: Simulation, outcome: Outcome, cpuSec: number): Promise<void> {
  const { FAULTS_RESULTS: file } = asked;
  if (file === undefined) return;
  const { days, steps, landings, problems } = outcome;
  const result = { seed, days, steps, landings, faults: faultsOf(outcome), cpuSec, problem: problems[0] ?? null };
  await appendFile(file, `${JSON.stringify(result)}\n`);
}

async function explain(given: Simulation, failed: Outcome): Promise<string> {
  const { given: least, outcome, runs } = await minimise(given, failed);
  const lines: string[] = [];
  await simulate({ ...least, tell: (line) => void lines.push(line) });
  return [
    `Seed ${given.seed} breaks a rule:`,
    ...outcome.problems,
    `After ${runs} shorter runs, these steps are left:`,
    ...lines,
    `Again: ${asCommand(least)}`,
  ].join('\n');
}
