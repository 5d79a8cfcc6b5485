// Decides which pull requests are first built alone on the tip. If targets are unknown, everything overlaps: one bad
// pull request makes every build behind it worthless, and until its own build has ended nobody knows which one it is.
// The isolated first build of a doubtful pull request shows early whether it is bad, whatever else is in line. It lands
// nothing. It only changes the probabilities by which the other builds are chosen.
import type { BatchState } from '../model/snapshot.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';
import { isBoundToPlace, overlapsAll } from './reorderable.ts';

/** A pull request with a lower success probability is doubtful. */
const minSuccessProbability = 0.92;

/** If the outcome of what is before a pull request is at least this certain, no isolated build is made. */
const certainBefore = 0.6;

/** Isolated first builds start before builds that are less probably needed. */
export const priorityOfIsolatedBuild = 0.9;

/** Pull requests further back in line get no isolated first build yet. */
const maxPlace = 100;

/** `certainty`: the probability of the most probable outcome of the pull requests before `index`. */
export function needsIsolatedBuild(graph: SpeculationGraph, index: number, certainty: number): boolean {
  const row = graph.line[index];
  if (row === undefined || index >= maxPlace || certainty >= certainBefore || isBoundToPlace(row)) return false;
  // A pull request that conflicts with another one is merged again only when the other one has left the line.
  if (graph.view.conflicts.has(row.id)) return false;
  if (row.successProbability >= minSuccessProbability || !overlapsAll(graph, index) || graph.isFirst(index))
    return false;
  const isOwn = ({ members }: SpeculativeBuild): boolean => members.includes(index);
  return !graph.buildsOf.has(index) && !graph.isolated.some(isOwn) && !graph.invalidated.some(isOwn);
}

/**
 * Whether this is an isolated first build, of which the pull request at `index` is the only member. Its result counts
 * although other pull requests have landed since its start. When nothing is before the pull request any more, only a
 * build on the present tip can land it, and a running isolated build is of no use.
 */
export function isIsolatedBuild(graph: SpeculationGraph, batch: BatchState, index: number): boolean {
  const row = graph.line[index];
  if (row === undefined || batch.assumes.length > 0 || batch.members.length !== 1) return false;
  if (graph.view.snapshot.rules.speculation !== 'adaptive' || isBoundToPlace(row)) return false;
  return overlapsAll(graph, index) && !graph.isFirst(index);
}
