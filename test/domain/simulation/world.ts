// Small simulated worlds from short descriptions: changes by number, builds of a fixed duration, and bad changes.
import { simulate, type Run } from '../../../src/domain/simulation/engine.ts';
import { truthOf, type Facts } from '../../../src/domain/simulation/ground-truth.ts';
import type { Change, MakePolicy, PolicySetup, GroundTruth } from '../../../src/domain/simulation/policy.ts';

export const minute = 60_000;

export interface Sketch extends Partial<Pick<Facts, 'seed' | 'pairs' | 'flake'>> {
  /** When each change arrives, in minutes. */
  readonly arrivals: readonly number[];
  readonly bad?: readonly number[];
  /** The targets of each change. If left out, they are unknown. */
  readonly targets?: readonly (readonly string[])[];
  readonly workers?: number;
  /** The duration of every build. */
  readonly minutes?: number;
}

export function sketch({ arrivals, targets, workers = 100, minutes = 30, ...facts }: Sketch): PolicySetup {
  const changes = arrivals.map(
    (at, number): Change => ({
      number,
      arrivedAt: at * minute,
      author: 0,
      targets: targets?.[number] ?? null,
    }),
  );
  const ci = { medianMs: minutes * minute, spread: 0, drawnPer: 'change' } as const;
  const truth: GroundTruth = truthOf({
    seed: facts.seed ?? 1,
    bad: new Set(facts.bad),
    pairs: facts.pairs ?? [],
    flake: facts.flake ?? 0,
    ci,
  });
  return { changes, workers, truth };
}

export function run(of: Sketch, makePolicy: MakePolicy): Run {
  return simulate(sketch(of), makePolicy);
}

/** Texts such as `0 landed at 30`, in the order of the ends. */
export function endsOf({ outcomes }: Run): string[] {
  return outcomes.map(({ change, kind, at }) => `${change.number} ${kind} at ${at / minute}`);
}
