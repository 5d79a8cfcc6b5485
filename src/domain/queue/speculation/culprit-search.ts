// The search of a red batch for its first bad pull request: by halves, in line order, so that everything before the bad
// one lands. The red build stays as evidence: when its first half has landed, the rest is known to be red.
import { isFailure } from '../planning/failure.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';

/**
 * With adaptive speculation, for batches of pull requests that were neither stacked nor bisected. All other batches are
 * bisected by a decision, and so is every batch if the number of bisections is limited.
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

/** The red batches to search. */
export function findUnexplainedReds(graph: SpeculationGraph): readonly SpeculativeBuild[] {
  const isDue = (build: SpeculativeBuild): boolean =>
    build.members.length > 1 && isFailure(build.verdict) && isCulpritSearched(graph, build);
  return graph.builds.some(isDue) ? smallestReds(graph).filter(isDue) : [];
}

/** Red builds none of whose subsets is known to be red. */
export function smallestReds({ builds }: SpeculationGraph): readonly SpeculativeBuild[] {
  const reds = builds.filter(({ verdict }) => isFailure(verdict));
  // A subset of the indices of another build is found by the first index.
  const byFirst = Map.groupBy(reds, ({ pending }) => pending[0]);
  const isWithin = (other: SpeculativeBuild, { pending, holds }: SpeculativeBuild): boolean =>
    other.pending.length < pending.length && other.pending.every((index) => holds.has(index));
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
