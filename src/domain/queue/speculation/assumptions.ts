// Enumerates the possible assumptions of a build in order of their probability. An assumption says which of the pull
// requests before the unit land.
import { priorityOfIsolatedBuild } from './isolated-first-build.ts';
import { isInIsolatedRetry } from './isolated-retry.ts';
import { isFailure } from '../planning/failure.ts';
import { findConflict, isAssumedToLand, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import type { LandingProbabilities } from './landing-probability.ts';

/** One possible outcome for the pull requests before a unit. */
interface Assumption {
  readonly probability: number;
  /** Indices of undecided pull requests that take their less likely outcome. */
  readonly flipped: readonly number[];
}

export interface Candidate {
  readonly members: readonly number[];
  /** Earlier pull requests that are always assumed to land. */
  readonly certain: readonly number[];
  /** Earlier pull requests whose outcome is open, the least certain first. */
  readonly undecided: readonly Undecided[];
  readonly next: Assumption;
}

interface Undecided {
  readonly index: number;
  readonly lands: boolean;
  /** The probability of the assumption is divided by this if the pull request takes its less likely outcome. */
  readonly odds: number;
}

export function firstMember({ members }: Candidate): number {
  return members[0] ?? 0;
}

/**
 * The candidate with the most probable assumption. Null: no build starts for the unit now, because a barrier is before
 * it.
 */
export function mostLikelyCandidate(
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

/** The candidate of an isolated first build. It assumes nothing, so that no other assumption follows. */
export function isolatedCandidate(members: readonly number[]): Candidate {
  return { members, certain: [], undecided: [], next: { probability: priorityOfIsolatedBuild, flipped: [] } };
}

/** With linear speculation every pull request is assumed to land unless one of its builds failed. */
function toUndecided(graph: SpeculationGraph, index: number, lands: number): Undecided {
  const isOptimistic = graph.view.snapshot.rules.speculation === 'linear' && !hasFailed(graph, index);
  return { index, lands: isOptimistic || lands >= 0.5, odds: Math.max(lands, 1 - lands) / Math.min(lands, 1 - lands) };
}

function hasFailed(graph: SpeculationGraph, index: number): boolean {
  return (graph.buildsOf.get(index) ?? []).some(({ verdict }) => isFailure(verdict));
}

/** All pull requests that these members are stacked on, directly or indirectly. */
function belowOf(graph: SpeculationGraph, members: readonly number[]): ReadonlySet<number> {
  const below = new Set<number>();
  for (const member of members)
    for (let at = graph.indexOf.get(graph.line[member]?.below ?? ''); at !== undefined && !below.has(at); ) {
      below.add(at);
      at = graph.indexOf.get(graph.line[at]?.below ?? '');
    }
  return below;
}

/**
 * Returns the candidates that follow in the enumeration. In the first one, the next pull request is flipped too. In the
 * second one, it is flipped instead of the last flipped one. Each set of flipped pull requests appears once, and never
 * before a more probable set.
 */
export function nextCandidates(candidate: Candidate): Candidate[] {
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

/**
 * The assumed indices in order. Null: the assumption cannot come true, or a conflict of its pull requests and the
 * members is known. It cannot come true if it contains a stacked pull request without the pull request below, or all
 * pull requests of a red build.
 */
export function listAssumedIndices(
  graph: SpeculationGraph,
  { members, certain, undecided, next }: Candidate,
  reds: readonly SpeculativeBuild[],
): readonly number[] | null {
  const flipped = new Set(next.flipped);
  const expected = undecided.flatMap(({ index, lands }, at) => (lands === flipped.has(at) ? [] : [index]));
  const assumed = new Set([...certain, ...expected]);
  const notAssumed = new Set(undecided.map(({ index }) => index).filter((index) => !assumed.has(index)));
  for (const below of belowOf(graph, [...assumed])) {
    if (notAssumed.has(below)) return null;
    assumed.add(below);
  }
  for (const member of members) assumed.delete(member);
  // Pull requests that were red together are red in any build that contains all of them. So not all of them land.
  const isRefuted = reds.some(({ pending }) => pending.every((index) => assumed.has(index)));
  const indices = [...assumed].sort((a, b) => a - b);
  return isRefuted || findConflict(graph, [...indices, ...members]) !== null ? null : indices;
}

/**
 * For linear speculation: the assumed indices, without pull requests that are known to conflict with earlier ones.
 * Leaves out one pull request after the other, and so does not compare all 2^n subsets of n pull requests. Null: a pull
 * request that must be assumed conflicts.
 */
export function listAssumedOptimistically(
  graph: SpeculationGraph,
  { members, certain, undecided }: Candidate,
): readonly number[] | null {
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
