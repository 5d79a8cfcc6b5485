// More seeds and days under faults. `npm run simulate:faults` runs this file too, and selects seeds and days by
// environment variables.
import { expect, it } from 'vitest';
import { asCommand, minimise, readRanges } from './minimise.ts';
import { simulate, type Outcome, type Simulation } from './simulate.ts';

const asked = process.env;
const firstSeed = Number(asked['FAULTS_SEED'] ?? 100);
const seeds = Number(asked['FAULTS_SEEDS'] ?? (asked['FAULTS_SEED'] === undefined ? 12 : 1));

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

it('keeps every rule under each seed', { timeout: 24 * 3_600_000 }, async () => {
  let days = 0;
  let steps = 0;
  const cpuBefore = process.cpuUsage();
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const given = givenFor(seed);
    const outcome = await simulate(given);
    console.log(describe(given, outcome));
    days += outcome.days;
    steps += outcome.steps;
    expect(outcome.problems.length === 0 ? '' : await explain(given, outcome)).toBe('');
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const sec = (user + system) / 1_000_000;
  console.log(
    `${seeds} seeds, ${days.toFixed(1)} days, ${steps} steps, ${(sec / days).toFixed(2)} s of CPU a day beside PostgreSQL and git.`,
  );
});

function describe({ seed }: Simulation, { days, steps, landings, pullRequests, faultKinds, digest }: Outcome): string {
  const faults = Object.values(faultKinds).reduce((sum, each) => sum + each, 0);
  return `Seed ${seed}: ${days.toFixed(1)} days, ${steps} steps, ${pullRequests} pull requests, ${landings} landings, ${faults} faults, digest ${digest}.`;
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
