// Which pull requests may be reordered to the end of the line, and which were.
import type { SpeculationGraph } from './graph.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** Whether a barrier, a skip of the line, a stack or a bisection fixes the place of a pull request. */
export function isBoundToPlace({ skipLine, isBarrier, stack, bisection }: PullRequestState): boolean {
  return skipLine || isBarrier || stack !== null || bisection !== null;
}

/** Whether a pull request may be moved to the end of the line. */
export function mayReorder(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // At the end of the line it would delay all later arrivals, and be rebuilt whenever one before it leaves.
  return row !== undefined && !isBoundToPlace(row) && !overlapsAll(graph, index);
}

/**
 * A red build reorders a pull request at most once while it is queued. Without this bound the pull request might never
 * land.
 */
export function mayReorderForFailure(graph: SpeculationGraph, index: number): boolean {
  return graph.line[index]?.reorderedForFailure === false && mayReorder(graph, index);
}

/** Whether a pull request was reordered, and may be reordered again. */
export function wasReordered(graph: SpeculationGraph, index = -1): boolean {
  const row = graph.line[index];
  return row !== undefined && (row.reorderedForFailure || row.timesPassed > 0) && mayReorder(graph, index);
}

/** Whether a pull request counts as overlapping everything in line. */
export function overlapsAll({ line, view }: SpeculationGraph, index: number): boolean {
  const row = line[index];
  return row === undefined || row.isBarrier || row.targets === null || !view.snapshot.rules.useAffectedTargets;
}
