// Decides about the isolated retry of a pull request that was reordered because its build failed.
import { isAssumedToLand, type SpeculationGraph } from './graph.ts';
import { isBoundToPlace } from './reorderable.ts';

/**
 * Whether the pull request is in its isolated retry: it is built once more, alone on the tip, and none of its builds is
 * green yet. The retry contains none of the pull requests that passed it. Builds for all their possible outcomes would
 * be wasted on a pull request that rarely lands. If the retry is red, the pull request is ejected, because only pull
 * requests that passed it were before it.
 */
export function isInIsolatedRetry(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // This does not use `mayReorder`: a pull request whose targets have become unknown must not be reordered again, but
  // its earlier reorder counts.
  if (row === undefined || !row.reorderedForFailure || isBoundToPlace(row)) return false;
  // Nothing is built behind a barrier, and every build contains the pull requests that skipped the line.
  const isHeldUp = (before: number): boolean =>
    graph.line[before]?.isBarrier === true || isAssumedToLand(graph, before);
  if (graph.before(index).some(isHeldUp)) return false;
  return !(graph.buildsOf.get(index) ?? []).some(({ verdict }) => verdict.kind === 'green');
}
