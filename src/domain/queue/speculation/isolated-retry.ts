// The isolated retry of a pull request that was reordered for its failure.
import { isAssumedToLand, type SpeculationGraph } from './graph.ts';
import { isBoundToPlace } from './reorderable.ts';

/**
 * Until one of its builds is green, the pull request is built once more, alone on the tip and without those that passed
 * it. Builds for every possible outcome of those would be wasted on a pull request that rarely lands. If it is red
 * again, it is ejected: only pull requests that passed it were before it when the retry began.
 */
export function isInIsolatedRetry(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // A pull request whose targets have become unknown may not be reordered again (`mayReorder`), but its earlier reorder
  // counts.
  if (row === undefined || !row.reorderedForFailure || isBoundToPlace(row)) return false;
  // Nothing is built behind a barrier, and every build includes the pull requests that skipped the line.
  const isHeldUp = (before: number): boolean =>
    graph.line[before]?.isBarrier === true || isAssumedToLand(graph, before);
  if (graph.before(index).some(isHeldUp)) return false;
  return !(graph.buildsOf.get(index) ?? []).some(({ verdict }) => verdict.kind === 'green');
}
