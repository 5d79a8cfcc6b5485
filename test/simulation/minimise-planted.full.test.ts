// A fault is planted in a process of the simulation. The simulation finds it, and shortens the history that shows it.
import { expect, it } from 'vitest';
import { landingRefs } from '../../src/modules/queue/facts/landing-refs.ts';
import type { Process } from './installation.ts';
import { asCommand, kindOf, minimise, readRanges } from './minimise.ts';
import { simulate, type Simulation } from './simulate.ts';

const rule = 'n is on the base, and no landing has it.';

/** Landings of this process leave no landing ref. */
function withoutLandingRefs({ service: { localHost } }: Process): void {
  const updateRefs = localHost.updateRefs.bind(localHost);
  const replaced: typeof updateRefs = async (repository, updates) =>
    await updateRefs(
      repository,
      updates.filter(({ ref }) => !ref.startsWith(landingRefs)),
    );
  Object.assign(localHost, { updateRefs: replaced });
}

it('shortens the history of a planted fault', { timeout: 1_800_000 }, async () => {
  const told: Simulation = { seed: 1, days: 2, plant: withoutLandingRefs };
  const failed = await simulate(told);
  expect(kindOf(failed)).toBe(rule);

  const { given, outcome, runs } = await minimise(told, failed, { maxRuns: 20 });
  expect(runs).toBeLessThanOrEqual(20);
  expect(kindOf(outcome)).toBe(rule);
  // The planted fault needs no other fault.
  expect(outcome.faults).toEqual([]);
  const left = Array.from({ length: outcome.steps }, (_, step) => step).filter((step) => !given.without?.has(step));
  expect(left.length).toBeLessThan(failed.steps / 2);

  const options = asCommand(given).split(' ');
  const valueOf = (name: string): string =>
    options.includes(`--${name}`) ? (options[options.indexOf(`--${name}`) + 1] ?? '') : '';
  const again = await simulate({
    seed: Number(valueOf('seed')),
    days: Number(valueOf('days')),
    ...(given.steps !== undefined && { steps: Number(valueOf('steps')) }),
    without: readRanges(valueOf('without')),
    calm: readRanges(valueOf('calm')),
    plant: withoutLandingRefs,
  });
  expect(again.problems).toEqual(outcome.problems);
});
