// What the planner of speculative builds decides on: the pull requests by their indices in line, which of them conflict,
// and what each speculative build still says.
import type { LineView } from '../planning/line.ts';
import type { ConflictGraph, LandedChange } from './conflict-graph.ts';
import type { BatchState, PinnedHead, PullRequestState } from '../model/snapshot.ts';
import type { BatchVerdict } from '../evidence/verdict.ts';
import type { Cause } from '../planning/resets.ts';

export interface SpeculativeBuild {
  readonly batch: BatchState;
  readonly verdict: BatchVerdict;
  /** Indices of its members, and of all of it that is still in line. */
  readonly members: readonly number[];
  readonly pending: readonly number[];
  readonly holds: ReadonlySet<number>;
  /** Indices in `landed` of what of it has landed since it was made. */
  readonly arrived: ReadonlySet<number>;
  /** Index in `landed` of the first change that came on top of its base. */
  readonly since: number;
}

export interface SpeculationGraph extends ConflictGraph {
  readonly view: LineView;
  readonly line: readonly PullRequestState[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Speculative builds whose answer may matter. */
  readonly builds: readonly SpeculativeBuild[];
  /**
   * Builds whose assumptions failed, or that hold a reordered pull request with those that passed it. A red one still
   * counts as one of the two failures that eject a pull request.
   */
  readonly invalidated: readonly SpeculativeBuild[];
  /** Red builds that may be red for want of what has landed since: they reorder a pull request, and eject none. */
  readonly inconclusive: readonly SpeculativeBuild[];
  /** Builds that say nothing any more. */
  readonly obsolete: readonly { readonly batch: BatchState; readonly cause: Cause; readonly isTold: boolean }[];
  /** Index → speculative builds it is a member of. */
  readonly buildsOf: ReadonlyMap<number, readonly SpeculativeBuild[]>;
  readonly landed: readonly LandedChange[];
  /** Indices in `landed`, by pull request. */
  readonly landedAt: ReadonlyMap<string, number>;
  /** Indices whose landing is planned or being made. */
  readonly landing: ReadonlySet<number>;
}

/** One by itself, on nothing that might have been at fault. */
export function isRedAlone({ verdict, members, pending }: SpeculativeBuild): boolean {
  return verdict.kind === 'red' && members.length === 1 && pending.length === 1;
}

/** Nothing that landed since, other than by what the speculative build holds, overlaps the one at the index. */
export function isUntouched(graph: SpeculationGraph, build: SpeculativeBuild, index: number): boolean {
  return graph
    .landedOverlaps(index)
    .every((landedIndex) => landedIndex < build.since || build.arrived.has(landedIndex));
}

/** It skipped the line, and nothing is known that speaks against it. */
export function isAssumedToLand(graph: SpeculationGraph, index: number): boolean {
  const pullRequest = graph.line[index];
  return pullRequest !== undefined && pullRequest.skipLine && !graph.view.conflicts.has(pullRequest.id);
}

/** The first of these, put on the tip in order, that is known to conflict with what is before it there. */
export function findConflict(graph: SpeculationGraph, indices: readonly number[]): number | null {
  const { conflicts, snapshot } = graph.view;
  if (conflicts.size === 0) return null;
  const landed = new Set(graph.landed.map(({ head }) => head));
  const heads = new Set<string>();
  for (const index of indices) {
    const { id = '', head = '' } = graph.line[index] ?? {};
    for (const { parent, after } of conflicts.get(id) ?? []) {
      const isHere = after.length === 0 ? parent === snapshot.queue.tip : after.some((other) => heads.has(other));
      // Of what left the line nothing is there any more: whether the rest conflicts is found out anew.
      if (isHere && after.every((other) => heads.has(other) || landed.has(other))) return index;
    }
    heads.add(head);
  }
  return null;
}

export function pin(graph: SpeculationGraph, indices: readonly number[]): readonly PinnedHead[] {
  return indices.flatMap((index) => {
    const row = graph.line[index];
    return row === undefined ? [] : [{ pullRequest: row.id, head: row.head }];
  });
}
