// What a build may assume of those before its unit: which of them land, in order of probability.
import { isInIsolatedRetry } from './isolated-retry.ts';
import { isFailure } from '../planning/failure.ts';
import { findConflict, isAssumedToLand, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import type { LandingProbabilities } from './landing-probability.ts';

/** One way in which those before a unit may fare. */
interface Assumption {
  readonly probability: number;
  /** Indices of those undecided that do not go the likelier way. */
  readonly flipped: readonly number[];
}

export interface Candidate {
  readonly members: readonly number[];
  /** Assumed whatever happens. */
  readonly certain: readonly number[];
  /** Those before it that may land or not, least certain first. */
  readonly undecided: readonly Undecided[];
  readonly next: Assumption;
}

interface Undecided {
  readonly index: number;
  readonly lands: boolean;
  /** What its going the other way divides the probability by. */
  readonly odds: number;
}

export function firstOf({ members }: Candidate): number {
  return members[0] ?? 0;
}

/** Null: nothing is built for it now. */
export function mostLikely(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  members: readonly number[],
): Candidate | null {
  const own = new Set(members);
  const certain = new Set<number>();
  const undecided: Undecided[] = [];
  let probability = 1;
  const indices = new Set(members.flatMap((member) => graph.before(member)).filter((index) => !own.has(index)));
  const below = belowOf(graph, members);
  for (const index of indices) {
    if (graph.line[index]?.isBarrier) return null;
    const lands = probabilities[index] ?? 0.5;
    const isCertain = graph.landing.has(index) || below.has(index) || isAssumedToLand(graph, index);
    probability *= isCertain ? lands : Math.max(lands, 1 - lands);
    if (isCertain) certain.add(index);
    else undecided.push(toUndecided(graph, index, lands));
  }
  if (members.some((index) => isInIsolatedRetry(graph, index)))
    return { members, certain: [...certain], undecided: [], next: { probability: 1, flipped: [] } };
  undecided.sort((a, b) => a.odds - b.odds);
  return { members, certain: [...certain], undecided, next: { probability, flipped: [] } };
}

/** With linear speculation everybody is hoped to land of whom nothing else is known. */
function toUndecided(graph: SpeculationGraph, index: number, lands: number): Undecided {
  const isHoped = graph.view.snapshot.rules.speculation === 'linear' && !hasFailed(graph, index);
  return { index, lands: isHoped || lands >= 0.5, odds: Math.max(lands, 1 - lands) / Math.min(lands, 1 - lands) };
}

function hasFailed(graph: SpeculationGraph, index: number): boolean {
  return (graph.buildsOf.get(index) ?? []).some(({ verdict }) => isFailure(verdict));
}

/** What its members stand on, all the way down. */
function belowOf(graph: SpeculationGraph, members: readonly number[]): ReadonlySet<number> {
  const below = new Set<number>();
  for (const member of members)
    for (let at = graph.indexOf.get(graph.line[member]?.below ?? ''); at !== undefined && !below.has(at); ) {
      below.add(at);
      at = graph.indexOf.get(graph.line[at]?.below ?? '');
    }
  return below;
}

/** The next assumptions, by the last one that was flipped: each set comes once, never before a likelier one. */
export function furtherOf(candidate: Candidate): Candidate[] {
  const { undecided, next } = candidate;
  const last = next.flipped.at(-1);
  const following = undecided[last === undefined ? 0 : last + 1];
  if (following === undefined) return [];
  const added = { probability: next.probability / following.odds, flipped: [...next.flipped, (last ?? -1) + 1] };
  const given = last === undefined ? undefined : undecided[last];
  if (last === undefined || given === undefined) return [{ ...candidate, next: added }];
  const moved = { probability: added.probability * given.odds, flipped: [...next.flipped.slice(0, -1), last + 1] };
  return [added, moved].map((assumption) => ({ ...candidate, next: assumption }));
}

/** Places in order, what stands on nothing it assumes left out. Null: it cannot come true, or does not merge. */
export function assumedBy(
  graph: SpeculationGraph,
  { members, certain, undecided, next }: Candidate,
  reds: readonly SpeculativeBuild[],
): readonly number[] | null {
  const flipped = new Set(next.flipped);
  const hoped = undecided.flatMap(({ index, lands }, at) => (lands === flipped.has(at) ? [] : [index]));
  const assumed = new Set([...certain, ...hoped]);
  const notAssumed = new Set(undecided.map(({ index }) => index).filter((index) => !assumed.has(index)));
  for (const below of belowOf(graph, [...assumed])) {
    if (notAssumed.has(below)) return null;
    assumed.add(below);
  }
  for (const member of members) assumed.delete(member);
  // What was red together is red with others, and does not all land.
  const isRefuted = reds.some(({ pending }) => pending.every((index) => assumed.has(index)));
  const indices = [...assumed].sort((a, b) => a - b);
  return isRefuted || findConflict(graph, [...indices, ...members]) !== null ? null : indices;
}

/**
 * With linear speculation: all that are hoped for, but for those that are known not to merge behind the others. One after
 * the other is left out, and no two ways are compared: of n before it there are 2^n.
 */
export function hopedBy(graph: SpeculationGraph, { members, certain, undecided }: Candidate): readonly number[] | null {
  const open = new Set(undecided.map(({ index }) => index));
  const out = new Set(undecided.flatMap(({ index, lands }) => (lands ? [] : [index])));
  const isLeftOut = (index: number): boolean =>
    out.has(index) || [...belowOf(graph, [index])].some((at) => out.has(at));
  for (;;) {
    const assumed = new Set([...certain, ...[...open].filter((index) => !isLeftOut(index))]);
    for (const below of belowOf(graph, [...assumed])) assumed.add(below);
    for (const member of members) assumed.delete(member);
    if ([...certain].some(isLeftOut)) return null;
    const indices = [...assumed].sort((a, b) => a - b);
    const conflicting = findConflict(graph, [...indices, ...members]);
    if (conflicting === null) return indices;
    if (!open.has(conflicting)) return null;
    out.add(conflicting);
  }
}
