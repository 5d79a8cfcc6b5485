// The ground truth of a simulated world: which changes are bad, how pairs of them interact, how long builds take, and
// which builds are flakes.
import type { GroundTruth } from './policy.ts';
import { draw, drawLognormal, streams } from './randomness.ts';

export interface Pair {
  readonly a: number;
  readonly b: number;
  /**
   * semantic_conflict: each change alone is green, and both together are red. fixed_by: `a` alone is red, and green
   * together with `b`.
   */
  readonly kind: 'semantic_conflict' | 'fixed_by';
}

export interface Facts {
  readonly seed: number;
  readonly bad: ReadonlySet<number>;
  readonly pairs: readonly Pair[];
  /** Probability that a build of a green tree is red. */
  readonly flake: number;
  /**
   * Durations are lognormal. `change`: one duration is drawn for each change, and a build takes as long as its slowest
   * member. `build`: a duration is drawn for each build.
   */
  readonly ci: { readonly medianMs: number; readonly spread: number; readonly drawnPer: 'change' | 'build' };
}

export function truthOf(facts: Facts): GroundTruth {
  const semanticConflicts = new Map<number, number[]>();
  const fixes = new Map<number, number[]>();
  for (const { a, b, kind } of facts.pairs) {
    addPartner(kind === 'fixed_by' ? fixes : semanticConflicts, a, b);
    if (kind === 'semantic_conflict') addPartner(semanticConflicts, b, a);
  }
  const durationOfChange = durations(facts);
  const isSettled = (change: number): boolean => !facts.bad.has(change) && !semanticConflicts.has(change);
  return {
    isGreen(landed, added) {
      const suspects = added.filter((change) => !isSettled(change));
      if (suspects.length === 0) return true;
      const together = new Set(added);
      const isPresent = (other: number): boolean => together.has(other) || landed.has(other);
      return suspects.every(
        (change) =>
          !(semanticConflicts.get(change) ?? []).some(isPresent) &&
          (!facts.bad.has(change) || (fixes.get(change) ?? []).some(isPresent)),
      );
    },
    durationOf({ members, tree, attempt }) {
      if (facts.ci.drawnPer === 'build') return duration(facts, tree, attempt);
      return Math.max(...members.map(durationOfChange));
    },
    isFlake: ({ tree, attempt }) => facts.flake > 0 && draw(facts.seed, streams.flake, tree, attempt) < facts.flake,
  };
}

function durations(facts: Facts): (change: number) => number {
  const known = new Map<number, number>();
  return (change) => {
    const lasts = known.get(change) ?? duration(facts, change);
    known.set(change, lasts);
    return lasts;
  };
}

function duration({ seed, ci }: Facts, ...of: readonly number[]): number {
  const { medianMs: median, spread } = ci;
  return Math.max(1, Math.round(drawLognormal({ median, spread }, seed, streams.duration, ...of)));
}

function addPartner(partners: Map<number, number[]>, of: number, partner: number): void {
  const known = partners.get(of);
  if (known === undefined) partners.set(of, [partner]);
  else known.push(partner);
}
