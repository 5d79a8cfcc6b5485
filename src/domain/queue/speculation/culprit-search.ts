// Searches for the first bad pull request of a red batch by halves in line order, so that everything before the bad
// pull request lands. The red build stays as evidence: when its first half has landed, the rest is known to be red.
import { isFailure } from '../planning/failure.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';

/**
 * Whether a batch is searched in this way if it is red. This is done with adaptive speculation and without a limit of
 * bisections, for batches whose members are neither stacked nor bisected. All other red batches are bisected
 * (BisectBatch).
 */
export function isCulpritSearched({ view, line }: SpeculationGraph, { batch, members }: SpeculativeBuild): boolean {
  const { speculation, maxBisectionAttempts } = view.snapshot.rules;
  return (
    speculation === 'adaptive' &&
    maxBisectionAttempts === null &&
    batch.members.length > 1 &&
    members.every((index) => line[index]?.stack === null && line[index].bisection === null)
  );
}

/** The red batches that must be searched, because no smaller part of them is known to be red. */
export function findUnexplainedReds(graph: SpeculationGraph): readonly SpeculativeBuild[] {
  const isDue = (build: SpeculativeBuild): boolean =>
    build.members.length > 1 && isFailure(build.verdict) && isCulpritSearched(graph, build);
  return graph.builds.some(isDue) ? findSmallestReds(graph).filter(isDue) : [];
}

/** The red builds that contain no smaller red build. */
export function findSmallestReds({ builds }: SpeculationGraph): readonly SpeculativeBuild[] {
  const reds = builds.filter(({ verdict }) => isFailure(verdict));
  // Builds are looked up by their first index, because a build contains a smaller one only if it contains its first
  // index.
  const byFirst = Map.groupBy(reds, ({ pending }) => pending[0]);
  const isWithin = (other: SpeculativeBuild, { pending, pendingSet }: SpeculativeBuild): boolean =>
    other.pending.length < pending.length && other.pending.every((index) => pendingSet.has(index));
  return reds.filter(
    (build) => !build.pending.some((index) => byFirst.get(index)?.some((other) => isWithin(other, build))),
  );
}

/** Halves a batch. No part is larger than `max_bisected_batch_size` allows. */
export function halve({ view }: SpeculationGraph, indices: readonly number[]): readonly (readonly number[])[] {
  const size = Math.min(Math.ceil(indices.length / 2), view.snapshot.rules.maxBisectedBatchSize ?? Infinity);
  return size === 0
    ? []
    : Array.from({ length: Math.ceil(indices.length / size) }, (_, part) =>
        indices.slice(part * size, (part + 1) * size),
      );
}
