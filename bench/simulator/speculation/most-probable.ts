// Enumerates the sets of assumptions of all changes, the most probable set first. The sets are not all computed at
// once: the heap begins with one set for each change, and a set that is taken adds at most two others.
import { EventHeap } from '../../../src/domain/simulation/event-heap.ts';
import { keyOf, withAlso, without, type Head } from './paths.ts';

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
  /** The key of the changes that are assumed to land. */
  readonly key: number;
  assumes(): readonly number[];
}

/** The best set of assumptions of a head, and what it costs to flip each assumption, the cheapest first. */
export interface Prospect {
  readonly head: Head;
  /** Logarithm of the probability. */
  readonly best: number;
  readonly bestKey: number;
  readonly flips: readonly { readonly change: number; readonly cost: number; readonly isAssumed: boolean }[];
}

interface Departure {
  readonly prospect: Prospect;
  readonly cost: number;
  readonly key: number;
  /** The index of the last flip. -1: there is no flip. */
  readonly last: number;
  readonly before: Departure | null;
}

export function prospectOf(head: Head, weights: readonly OutcomeWeights[]): Prospect {
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

/** The most probable set first. Equally probable sets are in the order of the prospects. */
export function* mostProbable(prospects: Iterable<Prospect>): Generator<Candidate> {
  const heap = new EventHeap<Departure>();
  const push = (departure: Departure | null): void => {
    if (departure !== null) heap.push(departure.cost - departure.prospect.best, departure);
  };
  for (const prospect of prospects) push({ prospect, cost: 0, key: prospect.bestKey, last: -1, before: null });
  for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
    yield candidateOf(next);
    const { last, before } = next;
    push(flipped(next, last + 1));
    if (before !== null) push(flipped(before, last + 1));
  }
}

function flipped(before: Departure, index: number): Departure | null {
  const flip = before.prospect.flips[index];
  if (flip === undefined) return null;
  const key = flip.isAssumed ? without(before.key, flip.change) : withAlso(before.key, flip.change);
  return { prospect: before.prospect, cost: before.cost + flip.cost, key, last: index, before };
}

function candidateOf(departure: Departure): Candidate {
  const { prospect, cost, key } = departure;
  return {
    head: prospect.head,
    probability: Math.exp(prospect.best - cost),
    key,
    assumes: () => {
      const flipped = new Set<number>();
      for (let step: Departure | null = departure; step !== null && step.last >= 0; step = step.before)
        flipped.add(step.last);
      const assumed = prospect.flips.filter(({ isAssumed }, index) => isAssumed !== flipped.has(index));
      return assumed.map(({ change }) => change).sort((a, b) => a - b);
    },
  };
}
