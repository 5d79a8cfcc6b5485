// Who let others pass: it failed by itself with nothing before it, and is likely to do so again.
import { isAssumedToLand, type SpeculationGraph } from './graph.ts';
import { isBoundToPlace } from './movable.ts';

/**
 * Until a build of it is green it is asked once more at once, on the tip and not on those that passed it: of the many
 * ways in which these may fare each would be built for one that hardly lands. Red again it is out; nobody was before it
 * when it was asked, but for those it let pass.
 */
export function isInIsolatedRetry(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  // Whose targets have become unknown since may not move again (`mayMove`), but has let those before it pass all the same.
  if (row === undefined || !row.reorderedForFailure || isBoundToPlace(row)) return false;
  // Nothing is built behind a barrier, and nobody speculative builds against one that skipped the line.
  const isHeldUp = (before: number): boolean =>
    graph.line[before]?.isBarrier === true || isAssumedToLand(graph, before);
  if (graph.before(index).some(isHeldUp)) return false;
  return !(graph.buildsOf.get(index) ?? []).some(({ verdict }) => verdict.kind === 'green');
}
