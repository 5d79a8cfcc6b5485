// Finds for each pull request in line the earlier pull requests and the landed changes that it overlaps.
import type { LineView } from '../planning/line.ts';
import { countBelow, indexOverlaps, overlap, memoize, type Overlaps, type Targets } from '../model/overlap.ts';
import type { PinnedHead, PullRequestState } from '../model/snapshot.ts';

export interface LandedChange extends PinnedHead {
  readonly targets: Targets;
  /** The commit by which the change landed. Changes that landed together have the same commit. */
  readonly commit: string;
}

/** Says which pull requests overlap. Pull requests that overlap land in line order, or together in one batch. */
export interface ConflictGraph {
  /** For an index in line: the earlier pull requests in line that overlap the one at this index, in order. */
  readonly before: Overlaps;
  /** The part of `before` from the index `from` on. */
  readonly between: (from: number, index: number) => readonly number[];
  /**
   * A part of `before`. A graph with only these edges has the same connected components as the graph with all edges.
   */
  readonly linksBefore: Overlaps;
  /** Whether no earlier pull request overlaps the one at the index. */
  readonly isFirst: (index: number) => boolean;
  /**
   * For each index in line: an upper bound of the product of the factors of the pull requests in `before`. Each factor
   * is at most 1.
   */
  readonly productsBefore: (factors: Float64Array) => Float64Array;
  /** For an index in line: the indices of the landed changes that overlap the pull request at this index. */
  readonly landedOverlaps: Overlaps;
  /** For the index of a landed change: the landed changes that overlap it and landed before it or together with it. */
  readonly landedWith: Overlaps;
}

export function targetsOf({ snapshot }: LineView, { isBarrier, targets }: PullRequestState): Targets {
  return snapshot.rules.useAffectedTargets && !isBarrier ? targets : null;
}

/** A barrier overlaps everything. A stacked pull request overlaps at least the one below it. */
export function overlapsOf(view: LineView, landed: readonly LandedChange[]): ConflictGraph {
  const line = view.inOrder;
  const targetIndex = indexOverlaps([
    ...landed,
    ...line.map((pullRequest) => ({ targets: targetsOf(view, pullRequest) })),
  ]);
  const all = targetIndex.before;
  const indexOf = new Map(line.map(({ id }, index) => [id, index]));
  const belowOf = (index: number): number | undefined => {
    const below = indexOf.get(line[index]?.below ?? '');
    return below === undefined || below >= index ? undefined : below;
  };
  const withBelow = (index: number, found: readonly number[], from = 0): readonly number[] => {
    const before = found.map((at) => at - landed.length);
    const below = belowOf(index);
    if (below === undefined || below < from || before.includes(below)) return before;
    return [...before, below].sort((a, b) => a - b);
  };
  const find = (index: number): readonly number[] => {
    const overlapping = all(landed.length + index);
    return withBelow(index, overlapping.slice(countBelow(overlapping, landed.length)));
  };
  const findLanded = (index: number): readonly number[] => {
    const overlapping = all(landed.length + index);
    return overlapping.slice(0, countBelow(overlapping, landed.length));
  };
  return {
    before: memoize(find),
    between: (from, index) => withBelow(index, targetIndex.between(landed.length + from, landed.length + index), from),
    linksBefore: (index) => withBelow(index, targetIndex.linksBefore(landed.length + index, landed.length)),
    isFirst: (index) => belowOf(index) === undefined && !targetIndex.hasBefore(landed.length + index, landed.length),
    productsBefore: (factors) =>
      targetIndex.productsBefore([...landed.map(() => 1), ...factors]).subarray(landed.length),
    landedOverlaps: memoize(findLanded),
    landedWith: memoize((at) => [...all(at), ...overlappingInCommit(landed, at)]),
  };
}

/** The changes behind `index` that landed by the same commit and overlap the change at `index`. */
function overlappingInCommit(landed: readonly LandedChange[], index: number): number[] {
  const found: number[] = [];
  for (let at = index + 1; at < landed.length; at += 1) {
    if (landed[at]?.commit !== landed[index]?.commit) break;
    if (overlap(landed[at]?.targets ?? null, landed[index]?.targets ?? null)) found.push(at);
  }
  return found;
}
