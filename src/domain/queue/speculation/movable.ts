// Which pull requests may be reordered behind all in line, and which have been.
import type { SpeculationGraph } from './graph.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** Its place is fixed by a barrier, a skip of the line, a stack or a bisection. */
export function isBoundToPlace({ skipLine, isBarrier, stack, bisection }: PullRequestState): boolean {
  return skipLine || isBarrier || stack !== null || bisection !== null;
}

/** Whether it may be moved behind all in line. */
export function mayReorder(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // At the end of the line it would delay all later arrivals, and be rebuilt whenever one before it leaves.
  return row !== undefined && !isBoundToPlace(row) && !overlapsAll(graph, index);
}

/** A red build reorders it at most once while it is queued. Without this bound it might never land. */
export function mayReorderForFailure(graph: SpeculationGraph, index: number): boolean {
  return graph.line[index]?.reorderedForFailure === false && mayReorder(graph, index);
}

/** It was reordered, and still may be. */
export function wasReordered(graph: SpeculationGraph, index = -1): boolean {
  const row = graph.line[index];
  return row !== undefined && (row.reorderedForFailure || row.timesPassed > 0) && mayReorder(graph, index);
}

/** It overlaps everything in line before it. */
export function overlapsAll({ line, view }: SpeculationGraph, index: number): boolean {
  const row = line[index];
  return row === undefined || row.isBarrier || row.targets === null || !view.snapshot.rules.useAffectedTargets;
}
