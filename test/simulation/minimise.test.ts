// How a failing history becomes short. The histories here are played by a function, so that a case takes no time.
import { expect, it } from 'vitest';
import { asCommand, kindOf, minimise, ranges, readRanges } from './minimise.ts';
import type { Outcome, Simulation } from './simulate.ts';

interface Story {
  /** The steps that the failure needs. */
  readonly needed: readonly number[];
  /** The steps with a fault, and those of them whose fault the failure needs. */
  readonly faults: readonly number[];
  readonly neededFaults: readonly number[];
}

/** A history that breaks a rule at the last of the needed steps, if all of them are there with their faults. */
function playing({ needed, faults, neededFaults }: Story) {
  return async ({ steps = 200, without, calm }: Simulation): Promise<Outcome> => {
    const at = Math.max(...needed);
    const isThere = (step: number): boolean => step < steps && without?.has(step) !== true;
    const isBroken = needed.every(isThere) && neededFaults.every((step) => calm?.has(step) !== true);
    return await Promise.resolve({
      steps: isBroken ? at : steps,
      days: 1,
      landings: 0,
      pullRequests: 0,
      digest: '',
      faults: faults.filter((step) => isThere(step) && calm?.has(step) !== true),
      faultKinds: {},
      problems: isBroken ? [`#${steps} landed twice.`] : [],
      failedAt: isBroken ? at : null,
    });
  };
}

const story: Story = { needed: [20, 60, 90], faults: [10, 60, 80, 95], neededFaults: [60] };
const told: Simulation = { seed: 7, days: 1 };

it('leaves out every step and every fault that the failure does not need', async () => {
  const run = playing(story);
  const { given, outcome } = await minimise(told, await run(told), { maxRuns: 1_000, run });
  expect(given.steps).toBe(91);
  const left = Array.from({ length: 91 }, (_, step) => step).filter((step) => given.without?.has(step) !== true);
  expect(left).toEqual(story.needed);
  expect(outcome.faults).toEqual([60]);
  expect(kindOf(outcome)).toBe('#n landed twice.');
});

it('tries no more histories than it may, and returns the shortest that fails', async () => {
  const run = playing(story);
  const { runs, outcome, given } = await minimise(told, await run(told), { maxRuns: 12, run });
  expect(runs).toBe(12);
  expect(outcome.problems).not.toEqual([]);
  expect(await run(given)).toEqual(outcome);
});

it('does not take another failure for the same one', async () => {
  const run = playing(story);
  const other = async (given: Simulation): Promise<Outcome> => {
    const outcome = await run(given);
    return given.calm?.has(80) === true ? { ...outcome, problems: ['Something else.'] } : outcome;
  };
  const { given } = await minimise(told, await other(told), { maxRuns: 1_000, run: other });
  expect(given.calm?.has(80) ?? false).toBe(false);
  expect(kindOf(await other(given))).toBe('#n landed twice.');
});

it('writes the command that repeats a short history', () => {
  const given = { seed: 7, days: 2, steps: 148, without: new Set([3, 4, 5, 97]), calm: new Set([100]) };
  expect(asCommand(given)).toBe('npm run simulate:faults -- --seed 7 --days 2 --steps 148 --without 3-5,97 --calm 100');
});

it.each([
  ['', []],
  ['3', [3]],
  ['1-3,7,9-10', [1, 2, 3, 7, 9, 10]],
])('writes and reads steps as "%s"', (text, steps) => {
  expect(ranges(steps)).toBe(text);
  expect([...readRanges(text)]).toEqual(steps);
});
