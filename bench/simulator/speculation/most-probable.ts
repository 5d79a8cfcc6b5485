// For each pending change (head), a build can assume of each earlier undecided change that it lands or that it leaves.
// Enumerates these sets of assumptions of all heads together, the most probable set first. The sets are not all computed
// at once: the heap begins with one set for each head, and a set that is taken adds at most two others.
import { EventHeap } from '../../../src/domain/simulation/event-heap.ts';
import { keyOf, addToKey, removeFromKey, type Head } from './paths.ts';

/** The weights of the two assumptions about an undecided change. They are above 0 and at most 1. */
export interface OutcomeWeights {
  readonly change: number;
  readonly lands: number;
  readonly leaves: number;
}

export interface Candidate {
  readonly head: Head;
  /** The product of the weights of all assumptions. */
  readonly probability: number;
  /** The key of the set of changes that are assumed to land. */
  readonly key: number;
  assumes(): readonly number[];
}

/**
 * The most probable set of assumptions of a head. `flips` has the logarithm of the factor by which the probability
 * falls when one assumption is reversed, the smallest first.
 */
export interface RankedAssumptions {
  readonly head: Head;
  /** The logarithm of the probability of the most probable set. */
  readonly best: number;
  readonly bestKey: number;
  readonly flips: readonly { readonly change: number; readonly cost: number; readonly isAssumed: boolean }[];
}

interface AssumptionSet {
  readonly ranked: RankedAssumptions;
  readonly cost: number;
  readonly key: number;
  /** The index in `flips` of the last reversed assumption. -1: no assumption is reversed. */
  readonly last: number;
  readonly before: AssumptionSet | null;
}

export function rankAssumptions(head: Head, weights: readonly OutcomeWeights[]): RankedAssumptions {
  let best = 0;
  const assumed: number[] = [];
  const flips = weights.map(({ change, lands, leaves }) => {
    const isAssumed = lands >= leaves;
    if (isAssumed) assumed.push(change);
    best += Math.log(Math.max(lands, leaves));
    return { change, cost: Math.abs(Math.log(lands / leaves)), isAssumed };
  });
  flips.sort((a, b) => a.cost - b.cost);
  return { head, best, bestKey: keyOf(assumed), flips };
}

/**
 * Yields the most probable set first. If the most probable sets of two heads are equally probable, the set of the
 * earlier head comes first.
 */
export function* enumerateAssumptionSets(heads: Iterable<RankedAssumptions>): Generator<Candidate> {
  const heap = new EventHeap<AssumptionSet>();
  const push = (set: AssumptionSet | null): void => {
    if (set !== null) heap.push(set.cost - set.ranked.best, set);
  };
  for (const ranked of heads) push({ ranked, cost: 0, key: ranked.bestKey, last: -1, before: null });
  for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
    yield candidateOf(next);
    const { last, before } = next;
    push(flipped(next, last + 1));
    if (before !== null) push(flipped(before, last + 1));
  }
}

function flipped(before: AssumptionSet, index: number): AssumptionSet | null {
  const flip = before.ranked.flips[index];
  if (flip === undefined) return null;
  const key = flip.isAssumed ? removeFromKey(before.key, flip.change) : addToKey(before.key, flip.change);
  return { ranked: before.ranked, cost: before.cost + flip.cost, key, last: index, before };
}

function candidateOf(set: AssumptionSet): Candidate {
  const { ranked, cost, key } = set;
  return {
    head: ranked.head,
    probability: Math.exp(ranked.best - cost),
    key,
    assumes: () => {
      const flipped = new Set<number>();
      for (let step: AssumptionSet | null = set; step !== null && step.last >= 0; step = step.before)
        flipped.add(step.last);
      const assumed = ranked.flips.filter(({ isAssumed }, index) => isAssumed !== flipped.has(index));
      return assumed.map(({ change }) => change).sort((a, b) => a - b);
    },
  };
}
