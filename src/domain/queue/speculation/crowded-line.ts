// Whether many pull requests are in line for each build that may run. Then builds are chosen by other rules.
import type { SpeculationGraph } from './graph.ts';
import { overlapsAll } from './reorderable.ts';

/** If more pull requests than this are in line for each build that may run, every build is needed for landings. */
const maxCrowd = 3;

/** `allowed`: how many builds may run, with those that run already. */
function isCrowded({ line }: SpeculationGraph, allowed: number): boolean {
  return line.length > maxCrowd * allowed;
}

/** Nothing is built behind a barrier, and every build contains the pull requests that skipped the line. */
function isUsual({ view, line }: SpeculationGraph): boolean {
  return view.snapshot.rules.speculation === 'adaptive' && line.every((row) => !row.isBarrier && !row.skipLine);
}

/** Whether doubtful pull requests get isolated first builds (isolated-first-build.ts). */
export function allowsIsolatedBuilds(graph: SpeculationGraph, allowed: number): boolean {
  return isUsual(graph) && !isCrowded(graph, allowed);
}

/** Whether the builds that gain most start first (gain-order.ts). */
export function startsByGain(graph: SpeculationGraph, allowed: number): boolean {
  return isUsual(graph) && isCrowded(graph, allowed) && graph.line.every((_, index) => overlapsAll(graph, index));
}
