// Who may go behind those that were behind it, and who has.
import type { SpeculationGraph } from './graph.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** It has its place by what it is, or by what it belongs to: what stands on one of a stack stays behind it. */
export function isBoundToPlace({ skipLine, isBarrier, stack, bisection }: PullRequestState): boolean {
  return skipLine || isBarrier || stack !== null || bisection !== null;
}

/** Whether one may go behind all that are in line. */
export function mayReorder(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // Behind everybody it would hold up everybody else, and be built anew whenever one of them leaves.
  return row !== undefined && !isBoundToPlace(row) && !overlapsAll(graph, index);
}

/** For a red build: once while it is queued, so that overtaking is bounded. */
export function mayReorderForFailure(graph: SpeculationGraph, index: number): boolean {
  return graph.line[index]?.reorderedForFailure === false && mayReorder(graph, index);
}

/** And still might be. */
export function wasReordered(graph: SpeculationGraph, index = -1): boolean {
  const row = graph.line[index];
  return row !== undefined && (row.reorderedForFailure || row.timesPassed > 0) && mayReorder(graph, index);
}

/** All in line before it is before it. */
export function overlapsAll({ line, view }: SpeculationGraph, index: number): boolean {
  const row = line[index];
  return row === undefined || row.isBarrier || row.targets === null || !view.snapshot.rules.useAffectedTargets;
}
