// Decides which pull requests may be reordered, and which were reordered.
import type { SpeculationGraph } from './graph.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** Whether a pull request has a fixed place in line: it is a barrier, skips the line, is stacked, or was bisected. */
export function isBoundToPlace({ skipLine, isBarrier, stack, bisection }: PullRequestState): boolean {
  return skipLine || isBarrier || stack !== null || bisection !== null;
}

/** Whether a pull request may be moved to the end of the line. */
export function mayReorder(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // A pull request that overlaps everything is not moved. At the end of the line it would delay all later pull
  // requests, and would be rebuilt whenever a pull request before it leaves the line.
  return row !== undefined && !isBoundToPlace(row) && !overlapsAll(graph, index);
}

/**
 * Whether a red build may reorder the pull request: at most once while it is queued, because it might otherwise never
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
