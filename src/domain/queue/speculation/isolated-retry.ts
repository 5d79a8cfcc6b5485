// The isolated retry of a pull request that was reordered for its failure.
import { isAssumedToLand, type SpeculationGraph } from './graph.ts';
import { isBoundToPlace } from './movable.ts';

/**
 * Until one of its builds is green it is built once more, alone on the tip and without those that passed it. A build for
 * each way in which these may end would be spent on a pull request that hardly lands. Red again it is ejected: only those
 * that passed it were before it when the retry began.
 */
export function isInIsolatedRetry(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // One whose targets have become unknown may not be reordered again (`mayReorder`), and was reordered all the same.
  if (row === undefined || !row.reorderedForFailure || isBoundToPlace(row)) return false;
  // Nothing is built behind a barrier, and nothing is built without one that skipped the line.
  const isHeldUp = (before: number): boolean =>
    graph.line[before]?.isBarrier === true || isAssumedToLand(graph, before);
  if (graph.before(index).some(isHeldUp)) return false;
  return !(graph.buildsOf.get(index) ?? []).some(({ verdict }) => verdict.kind === 'green');
}
