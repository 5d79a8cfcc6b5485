// The possible assumptions of a build about the pull requests before its unit: which of them land, in order of
// probability.
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
  /** Always assumed to land. */
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

export function firstOf({ members }: Candidate): number {
  return members[0] ?? 0;
}

/** Null: no build starts for the unit now. */
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

/** With linear speculation every pull request is assumed to land unless something is known against it. */
function toUndecided(graph: SpeculationGraph, index: number, lands: number): Undecided {
  const isOptimistic = graph.view.snapshot.rules.speculation === 'linear' && !hasFailed(graph, index);
  return { index, lands: isOptimistic || lands >= 0.5, odds: Math.max(lands, 1 - lands) / Math.min(lands, 1 - lands) };
}

function hasFailed(graph: SpeculationGraph, index: number): boolean {
  return (graph.buildsOf.get(index) ?? []).some(({ verdict }) => isFailure(verdict));
}

/** All pull requests that its members are stacked on, directly or indirectly. */
function belowOf(graph: SpeculationGraph, members: readonly number[]): ReadonlySet<number> {
  const below = new Set<number>();
  for (const member of members)
    for (let at = graph.indexOf.get(graph.line[member]?.below ?? ''); at !== undefined && !below.has(at); ) {
      below.add(at);
      at = graph.indexOf.get(graph.line[at]?.below ?? '');
    }
  return below;
}

/** The next assumptions, by the last flipped one: each set appears once, and never before a likelier one. */
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

/**
 * The assumed indices in order, without a pull request whose lower one is not assumed. Null: it cannot come true, or
 * does not merge.
 */
export function assumedBy(
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
  // Pull requests that were red together are red in any build that holds all of them, and so do not all land.
  const isRefuted = reds.some(({ pending }) => pending.every((index) => assumed.has(index)));
  const indices = [...assumed].sort((a, b) => a - b);
  return isRefuted || findConflict(graph, [...indices, ...members]) !== null ? null : indices;
}

/**
 * For linear speculation: all pull requests that are assumed to land, except those known to conflict behind the others.
 * The function leaves out one after the other and does not compare all 2^n subsets of n.
 */
export function assumedOptimistically(
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
