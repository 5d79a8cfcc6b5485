// Where a red batch is to be searched: by halves, in line order, so that what is before its first bad one lands. The red
// build stays, as evidence: what is left of it when its first half has landed is known to be red.
import { isFailure } from '../planning/failure.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';

/**
 * With adaptive speculation, and made of pull requests that were neither stacked nor bisected. The others are halved by
 * decision, and so are all where halvings are counted.
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

/** Red batches that are to be searched. */
export function findUnexplainedReds(graph: SpeculationGraph): readonly SpeculativeBuild[] {
  const isDue = (build: SpeculativeBuild): boolean =>
    build.members.length > 1 && isFailure(build.verdict) && isCulpritSearched(graph, build);
  return graph.builds.some(isDue) ? smallestReds(graph).filter(isDue) : [];
}

/** Red builds whose fault is not among those of a smaller one. */
export function smallestReds({ builds }: SpeculationGraph): readonly SpeculativeBuild[] {
  const reds = builds.filter(({ verdict }) => isFailure(verdict));
  // One whose indices are all among those of another is found by the first of them.
  const byFirst = Map.groupBy(reds, ({ pending }) => pending[0]);
  const isWithin = (other: SpeculativeBuild, { pending, holds }: SpeculativeBuild): boolean =>
    other.pending.length < pending.length && other.pending.every((index) => holds.has(index));
  return reds.filter(
    (build) => !build.pending.some((index) => byFirst.get(index)?.some((other) => isWithin(other, build))),
  );
}

/** As `max_bisected_batch_size` allows. */
export function halve({ view }: SpeculationGraph, indices: readonly number[]): readonly (readonly number[])[] {
  const size = Math.min(Math.ceil(indices.length / 2), view.snapshot.rules.maxBisectedBatchSize ?? Infinity);
  return size === 0
    ? []
    : Array.from({ length: Math.ceil(indices.length / size) }, (_, part) =>
        indices.slice(part * size, (part + 1) * size),
      );
}
