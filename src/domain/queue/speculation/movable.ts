// Which pull requests may be reordered behind all that are in line, and which have been.
import type { SpeculationGraph } from './graph.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** Its place follows from a barrier, a skip of the line, a stack or a bisection. */
export function isBoundToPlace({ skipLine, isBarrier, stack, bisection }: PullRequestState): boolean {
  return skipLine || isBarrier || stack !== null || bisection !== null;
}

/** Whether one may go behind all that are in line. */
export function mayReorder(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // Behind everybody it would hold up everybody else, and be built anew whenever one of them leaves.
  return row !== undefined && !isBoundToPlace(row) && !overlapsAll(graph, index);
}

/** A red build reorders it once while it is queued: without a bound it might never land. */
export function mayReorderForFailure(graph: SpeculationGraph, index: number): boolean {
  return graph.line[index]?.reorderedForFailure === false && mayReorder(graph, index);
}

/** It was reordered, and still might be. */
export function wasReordered(graph: SpeculationGraph, index = -1): boolean {
  const row = graph.line[index];
  return row !== undefined && (row.reorderedForFailure || row.timesPassed > 0) && mayReorder(graph, index);
}

/** It overlaps all that is in line before it. */
export function overlapsAll({ line, view }: SpeculationGraph, index: number): boolean {
  const row = line[index];
  return row === undefined || row.isBarrier || row.targets === null || !view.snapshot.rules.useAffectedTargets;
}
