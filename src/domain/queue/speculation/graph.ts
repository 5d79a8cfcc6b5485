// The speculation graph has the facts that the planner of speculative builds decides on. Pull requests are identified
// by their indices in line.
import type { LineView } from '../planning/line.ts';
import type { ConflictGraph, LandedChange } from './conflict-graph.ts';
import type { BatchState, PinnedHead, PullRequestState } from '../model/snapshot.ts';
import type { BatchVerdict } from '../evidence/verdict.ts';
import type { Cause } from '../planning/resets.ts';

export interface SpeculativeBuild {
  readonly batch: BatchState;
  readonly verdict: BatchVerdict;
  /**
   * Indices of the members that are in line. `pending` has the indices of the assumed pull requests and the members
   * that are in line.
   */
  readonly members: readonly number[];
  readonly pending: readonly number[];
  readonly pendingSet: ReadonlySet<number>;
  /** Indices in `landed` of the pull requests of this build that have landed since it was made. */
  readonly landedParts: ReadonlySet<number>;
  /** Index in `landed` of the first change on top of its base. */
  readonly since: number;
}

export interface SpeculationGraph extends ConflictGraph {
  readonly view: LineView;
  readonly line: readonly PullRequestState[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Speculative builds whose result may matter. */
  readonly builds: readonly SpeculativeBuild[];
  /**
   * Red builds that only count as one of the two failures that eject a pull request: their assumptions failed, they
   * contain a reordered pull request together with those that passed it, or they are weak evidence
   * (`judgeConclusiveness`).
   */
  readonly invalidated: readonly SpeculativeBuild[];
  /**
   * Red builds that may be red because they lack a change that has landed since. They reorder a pull request, but eject
   * none.
   */
  readonly inconclusive: readonly SpeculativeBuild[];
  /**
   * Isolated first builds, running or green, that lack a change that has landed since their start. They land nothing,
   * and a green one shows that its pull request is good by itself.
   */
  readonly isolated: readonly SpeculativeBuild[];
  /** Builds whose result no longer matters. */
  readonly obsolete: readonly { readonly batch: BatchState; readonly cause: Cause; readonly isReported: boolean }[];
  /** For each index: the speculative builds that have its pull request as a member. */
  readonly buildsOf: ReadonlyMap<number, readonly SpeculativeBuild[]>;
  readonly landed: readonly LandedChange[];
  /** Indices in `landed`, by pull request. */
  readonly landedAt: ReadonlyMap<string, number>;
  /** Indices of pull requests whose landing is planned or under way. */
  readonly landing: ReadonlySet<number>;
}

/** Whether the build is running or green, so that its result may land its pull requests. */
export function mayLandMembers({ verdict }: SpeculativeBuild): boolean {
  return verdict.kind === 'pending' || verdict.kind === 'green';
}

/** How many builds may run at once, with those that run already. `free`: how many more may start. */
export function countAllowed({ builds, isolated }: SpeculationGraph, free: number): number {
  return free + [...builds, ...isolated].filter(({ verdict }) => verdict.kind === 'pending').length;
}

/** Whether this is a red build of one pull request, with no other possible culprit in line. */
export function isRedAlone({ verdict, members, pending }: SpeculativeBuild): boolean {
  return verdict.kind === 'red' && members.length === 1 && pending.length === 1;
}

/**
 * Whether the result of the build still applies to the pull request at the index: no landed change that the build lacks
 * overlaps the pull request.
 */
export function isUntouched(graph: SpeculationGraph, build: SpeculativeBuild, index: number): boolean {
  return graph
    .landedOverlaps(index)
    .every((landedIndex) => landedIndex < build.since || build.landedParts.has(landedIndex));
}

/** Whether the pull request skipped the line, and nothing is known against its landing. */
export function isAssumedToLand(graph: SpeculationGraph, index: number): boolean {
  const pullRequest = graph.line[index];
  return pullRequest !== undefined && pullRequest.skipLine && !graph.view.conflicts.has(pullRequest.id);
}

/** The first of these pull requests that is known to conflict if they are merged onto the tip in order. Null: none. */
export function findConflict(graph: SpeculationGraph, indices: readonly number[]): number | null {
  const { conflicts, snapshot } = graph.view;
  if (conflicts.size === 0) return null;
  const landed = new Set(graph.landed.map(({ head }) => head));
  const heads = new Set<string>();
  for (const index of indices) {
    const { id = '', head = '' } = graph.line[index] ?? {};
    for (const { parent, after } of conflicts.get(id) ?? []) {
      const isHere = after.length === 0 ? parent === snapshot.queue.tip : after.some((other) => heads.has(other));
      // If a pull request of a known conflict has left the line, the others may not conflict, so they are merged again.
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
