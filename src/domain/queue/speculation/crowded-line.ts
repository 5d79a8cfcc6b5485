// Decides whether a line is crowded: many pull requests wait for each build that may run. In a crowded line the builds
// that gain most start first. In another line, doubtful pull requests get isolated first builds.
import type { SpeculationGraph } from './graph.ts';
import { overlapsAll } from './reorderable.ts';

/** If more pull requests than this are in line for each build that may run, every build is needed for landings. */
const maxCrowd = 3;

function isCrowded({ line }: SpeculationGraph, allowed: number): boolean {
  return line.length > maxCrowd * allowed;
}

/**
 * Whether speculation is adaptive, and builds may have any content: nothing is built behind a barrier, and every build
 * contains the pull requests that skipped the line.
 */
function isFree({ view, line }: SpeculationGraph): boolean {
  return view.snapshot.rules.speculation === 'adaptive' && line.every((row) => !row.isBarrier && !row.skipLine);
}

/**
 * Whether doubtful pull requests get isolated first builds (isolated-first-build.ts). `allowed`: how many builds may
 * run, with those that run already.
 */
export function allowsIsolatedBuilds(graph: SpeculationGraph, allowed: number): boolean {
  return isFree(graph) && !isCrowded(graph, allowed);
}

/**
 * Whether the builds that gain most start first (gain-order.ts). `allowed` is as above. With batches and one build at a
 * time, the search for the bad pull request of a batch needs fewer builds than the order by gains.
 */
export function startsByGain(graph: SpeculationGraph, allowed: number): boolean {
  if (allowed === 1 && graph.view.snapshot.rules.batchSize > 1) return false;
  return isFree(graph) && isCrowded(graph, allowed) && graph.line.every((_, index) => overlapsAll(graph, index));
}
