// Which pull requests can affect one another: all, unless their targets are known and disjoint.

import { compareAll, isLarge, shareOne } from './target-sets.ts';

export type Targets = readonly string[] | null;

export function overlap(a: Targets, b: Targets): boolean {
  if (a === null || b === null) return true;
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  if (isLarge(many)) return shareOne(few, many);
  if (few.length < 4) return few.some((target) => many.includes(target));
  const known = new Set(many);
  return few.some((target) => known.has(target));
}

/** For an index in line: the earlier indices whose targets overlap, in order. */
export type Overlaps = (index: number) => readonly number[];

export interface OverlapIndex {
  /** Computed at the first call. The cost is proportional to the number of overlapping pairs. */
  readonly before: Overlaps;
  /** Only the earlier indices from `from` on. The cost depends only on their number. */
  readonly between: (from: number, index: number) => readonly number[];
  /** Some of the earlier indices from `from` on. They connect the same changes as all of them do. */
  readonly linksBefore: (index: number, from: number) => readonly number[];
  /** Whether there is an earlier overlapping index from `from` on. */
  readonly hasBefore: (index: number, from: number) => boolean;
  /**
   * For each index a bound: no less than the product of the factors, each at most 1, of the earlier overlapping
   * indices. The cost is proportional to the number of targets and not of pairs. The bound is the product over the
   * indices that share one target, for the target where it is least.
   */
  readonly productsBefore: (factors: ArrayLike<number>) => Float64Array;
}

type Line = readonly { readonly targets: Targets }[];

export function findOverlaps(line: Line): Overlaps {
  return indexOverlaps(line).before;
}

/**
 * Indexes changes by target, so that changes without a common target cost nothing. Large sets are compared as wholes.
 */
export function indexOverlaps(line: Line): OverlapIndex {
  compareAll(line.flatMap(({ targets }) => (targets !== null && isLarge(targets) ? [targets] : [])));
  const targetIndex = indexTargets(line);
  const seen = new Int32Array(line.length);
  let callNumber = 0;
  const between = (from: number, index: number): readonly number[] => {
    const own = line[index]?.targets ?? null;
    if (own === null) return Array.from({ length: Math.max(0, index - from) }, (_, after) => from + after);
    const before: number[] = [];
    callNumber += 1;
    const take = (other: number): void => {
      if (seen[other] === callNumber) return;
      seen[other] = callNumber;
      before.push(other);
    };
    for (const indices of targetIndex.sharing[index] ?? [])
      for (let at = countBelow(indices, from); (indices[at] ?? index) < index; at += 1) take(indices[at] ?? index);
    for (const other of comparedWith(line, targetIndex, index))
      if (other >= from && overlap(own, line[other]?.targets ?? null)) take(other);
    return before.sort((a, b) => a - b);
  };
  const linksBefore = (index: number, from: number): readonly number[] => {
    const own = line[index]?.targets ?? null;
    if (own === null) return between(from, index);
    const neighbours = (targetIndex.sharing[index] ?? []).map(
      (indices) => indices[countBelow(indices, index) - 1] ?? -1,
    );
    const compared = comparedWith(line, targetIndex, index);
    // All changes before the last change that overlaps everything are connected by it.
    const last = compared.findLast((other) => line[other]?.targets === null) ?? -1;
    const found = compared.filter((other) => other >= last && overlap(own, line[other]?.targets ?? null));
    return [...neighbours, ...found].filter((other) => other >= from);
  };
  const hasBefore = (index: number, from: number): boolean => {
    const own = line[index]?.targets ?? null;
    if (own === null) return index > from;
    const isThere = (indices: readonly number[]): boolean => (indices[countBelow(indices, from)] ?? index) < index;
    return (
      (targetIndex.sharing[index] ?? []).some(isThere) ||
      comparedWith(line, targetIndex, index).some(
        (other) => other >= from && overlap(own, line[other]?.targets ?? null),
      )
    );
  };
  const before = remembered((index) => between(0, index));
  return {
    before,
    between,
    linksBefore,
    hasBefore,
    productsBefore: (factors) => productsBefore(line, targetIndex, factors),
  };
}

interface TargetIndex {
  /**
   * For each index whose targets are in the index: the indices that share a target with it, ascending, itself included.
   */
  readonly sharing: readonly (readonly (readonly number[])[])[];
  /**
   * The other indices: changes that overlap everything, and changes with so many targets that they are compared one by
   * one. Ascending.
   */
  readonly apart: readonly number[];
}

function indexTargets(line: Line): TargetIndex {
  const byTarget = new Map<string, number[]>();
  const apart: number[] = [];
  const sharing = line.map(({ targets }, index) => {
    const shared: (readonly number[])[] = [];
    if (targets === null || isLarge(targets)) {
      apart.push(index);
      return shared;
    }
    for (const target of targets) {
      const known = byTarget.get(target);
      if (known?.at(-1) === index) continue;
      const indices = known ?? [];
      if (known === undefined) byTarget.set(target, indices);
      indices.push(index);
      shared.push(indices);
    }
    return shared;
  });
  return { sharing, apart };
}

/** Earlier indices whose overlap the index of targets does not answer. */
function comparedWith(line: Line, { apart }: TargetIndex, index: number): readonly number[] {
  const targets = line[index]?.targets ?? [];
  if (isLarge(targets)) return Array.from({ length: index }, (_, before) => before);
  return apart.slice(0, countBelow(apart, index));
}

function productsBefore(line: Line, { sharing }: TargetIndex, factors: ArrayLike<number>): Float64Array {
  const products = new Map<readonly number[], number>();
  let [ofAll, ofEverywhere] = [1, 1];
  return Float64Array.from(line, ({ targets }, index) => {
    const factor = factors[index] ?? 1;
    const shared = sharing[index] ?? [];
    const least = shared.reduce((low, indices) => Math.min(low, products.get(indices) ?? 1), 1);
    const before = targets === null ? ofAll : ofEverywhere * least;
    ofAll *= factor;
    if (targets === null) ofEverywhere *= factor;
    for (const indices of shared) products.set(indices, (products.get(indices) ?? 1) * factor);
    return before;
  });
}

/** Each result is computed at the first call and kept. */
export function remembered(find: Overlaps): Overlaps {
  const found: (readonly number[] | undefined)[] = [];
  return (index) => (found[index] ??= find(index));
}

/** How many values of an ascending list are below the bound. */
export function countBelow(rising: readonly number[], bound: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? Infinity) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
