// For each pull request in line: which others must land before it, and which of its conflicts have landed.
import type { LineView } from '../planning/line.ts';
import { countBelow, indexOverlaps, overlap, remembered, type Overlaps, type Targets } from '../model/overlap.ts';
import type { PinnedHead, PullRequestState } from '../model/snapshot.ts';

export interface LandedChange extends PinnedHead {
  readonly targets: Targets;
  /** The same number for changes that landed together. */
  readonly commit: string;
}

/** Two pull requests that overlap land one after the other, in line order. */
export interface ConflictGraph {
  /** The earlier pull requests in line that overlap it, in order. */
  readonly before: Overlaps;
  /** The same from the index `from` on. */
  readonly between: (from: number, index: number) => readonly number[];
  /**
   * A part of the earlier pull requests that overlap it. With this part, the graph has the same connected components as
   * with all of them.
   */
  readonly linksBefore: Overlaps;
  /** No earlier pull request overlaps it. */
  readonly isFirst: (index: number) => boolean;
  /**
   * By index: an upper bound of the product of the factors of the earlier pull requests that overlap it. Each factor is
   * at most 1.
   */
  readonly productsBefore: (factors: Float64Array) => Float64Array;
  /** Landed changes, by index, that overlap the pull request at the index. */
  readonly landedOverlaps: Overlaps;
  /** By index: landed changes that overlap this one and landed before it or with it. */
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
    before: remembered(find),
    between: (from, index) => withBelow(index, targetIndex.between(landed.length + from, landed.length + index), from),
    linksBefore: (index) => withBelow(index, targetIndex.linksBefore(landed.length + index, landed.length)),
    isFirst: (index) => belowOf(index) === undefined && !targetIndex.hasBefore(landed.length + index, landed.length),
    productsBefore: (factors) =>
      targetIndex.productsBefore([...landed.map(() => 1), ...factors]).subarray(landed.length),
    landedOverlaps: remembered(findLanded),
    landedWith: remembered((at) => [...all(at), ...overlappingInCommit(landed, at)]),
  };
}

/** The changes after it in its own commit. */
function overlappingInCommit(landed: readonly LandedChange[], index: number): number[] {
  const found: number[] = [];
  for (let at = index + 1; at < landed.length; at += 1) {
    if (landed[at]?.commit !== landed[index]?.commit) break;
    if (overlap(landed[at]?.targets ?? null, landed[index]?.targets ?? null)) found.push(at);
  }
  return found;
}
