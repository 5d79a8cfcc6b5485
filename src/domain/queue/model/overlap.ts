// Which pull requests overlap: all, unless their affected targets are known and disjoint.

import { compareAll, isLarge, shareTarget } from './target-sets.ts';

export type Targets = readonly string[] | null;

export function overlap(a: Targets, b: Targets): boolean {
  if (a === null || b === null) return true;
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  if (isLarge(many)) return shareTarget(few, many);
  if (few.length < 4) return few.some((target) => many.includes(target));
  const known = new Set(many);
  return few.some((target) => known.has(target));
}

/** Returns, for an index in line, the earlier indices with overlapping targets, in ascending order. */
export type Overlaps = (index: number) => readonly number[];

export interface OverlapIndex {
  /**
   * All earlier overlapping indices. A result is computed at its first call. The cost of all results is proportional to
   * the number of overlapping pairs.
   */
  readonly before: Overlaps;
  /** The earlier overlapping indices that are not less than `from`. The cost depends only on their number. */
  readonly between: (from: number, index: number) => readonly number[];
  /**
   * A part of the earlier overlapping indices that are not less than `from`. As edges of a graph, the parts give the
   * same connected components as all overlapping indices.
   */
  readonly linksBefore: (index: number, from: number) => readonly number[];
  /** Whether an earlier index that is not less than `from` overlaps. */
  readonly hasBefore: (index: number, from: number) => boolean;
  /**
   * For each index, an upper bound of the product of the factors of its earlier overlapping indices. Each factor is at
   * most 1. For each target of the index, the factors of the earlier indices with the same target are multiplied. The
   * bound is the least of these products. The cost is proportional to the number of targets, not to the number of
   * overlapping pairs.
   */
  readonly productsBefore: (factors: ArrayLike<number>) => Float64Array;
}

type Line = readonly { readonly targets: Targets }[];

export function findOverlaps(line: Line): Overlaps {
  return indexOverlaps(line).before;
}

/**
 * Indexes changes by target, so that changes without a common target are not compared. Large sets of targets are
 * compared as wholes.
 */
export function indexOverlaps(line: Line): OverlapIndex {
  compareAll(line.flatMap(({ targets }) => (targets !== null && isLarge(targets) ? [targets] : [])));
  const targetIndex = indexTargets(line);
  const between = createRangeSearch(targetIndex);
  return {
    before: memoize((index) => between(0, index)),
    between,
    linksBefore: (index, from) =>
      targetsAt(line, index) === null ? between(from, index) : linksBefore(targetIndex, index, from),
    hasBefore: (index, from) => hasBefore(targetIndex, index, from),
    productsBefore: (factors) => productsBefore(targetIndex, factors),
  };
}

interface TargetIndex {
  readonly line: Line;
  /**
   * For each change, a list for each of its targets: the indices of all changes with this target, ascending. Empty for
   * the changes in `apart`.
   */
  readonly sharing: readonly (readonly (readonly number[])[])[];
  /**
   * The indices of changes that are not indexed by target, ascending: changes that overlap everything, and changes with
   * large sets of targets.
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
  return { line, sharing, apart };
}

function targetsAt(line: Line, index: number): Targets {
  return line[index]?.targets ?? null;
}

/** Makes the function `between`. A call marks the indices that it has found, so that it takes each of them once. */
function createRangeSearch(targetIndex: TargetIndex): OverlapIndex['between'] {
  const { line, sharing } = targetIndex;
  const seen = new Int32Array(line.length);
  let callNumber = 0;
  return (from, index) => {
    const own = targetsAt(line, index);
    if (own === null) return Array.from({ length: Math.max(0, index - from) }, (_, after) => from + after);
    const before: number[] = [];
    callNumber += 1;
    const take = (other: number): void => {
      if (seen[other] === callNumber) return;
      seen[other] = callNumber;
      before.push(other);
    };
    for (const indices of sharing[index] ?? [])
      for (let at = countBelow(indices, from); (indices[at] ?? index) < index; at += 1) take(indices[at] ?? index);
    for (const other of comparedWith(targetIndex, index))
      if (other >= from && overlap(own, targetsAt(line, other))) take(other);
    return before.sort((a, b) => a - b);
  };
}

/** The links of a change whose targets are known. */
function linksBefore(targetIndex: TargetIndex, index: number, from: number): readonly number[] {
  const { line, sharing } = targetIndex;
  const own = targetsAt(line, index);
  const neighbours = (sharing[index] ?? []).map((indices) => indices[countBelow(indices, index) - 1] ?? -1);
  const compared = comparedWith(targetIndex, index);
  // The last change that overlaps everything connects all changes before it.
  const last = compared.findLast((other) => line[other]?.targets === null) ?? -1;
  const found = compared.filter((other) => other >= last && overlap(own, targetsAt(line, other)));
  return [...neighbours, ...found].filter((other) => other >= from);
}

function hasBefore(targetIndex: TargetIndex, index: number, from: number): boolean {
  const { line, sharing } = targetIndex;
  const own = targetsAt(line, index);
  if (own === null) return index > from;
  const isThere = (indices: readonly number[]): boolean => (indices[countBelow(indices, from)] ?? index) < index;
  return (
    (sharing[index] ?? []).some(isThere) ||
    comparedWith(targetIndex, index).some((other) => other >= from && overlap(own, targetsAt(line, other)))
  );
}

/** The earlier changes that must be compared one by one with the change at `index`. */
function comparedWith({ line, apart }: TargetIndex, index: number): readonly number[] {
  const targets = line[index]?.targets ?? [];
  if (isLarge(targets)) return Array.from({ length: index }, (_, before) => before);
  return apart.slice(0, countBelow(apart, index));
}

function productsBefore({ line, sharing }: TargetIndex, factors: ArrayLike<number>): Float64Array {
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

export function memoize(find: Overlaps): Overlaps {
  const found: (readonly number[] | undefined)[] = [];
  return (index) => (found[index] ??= find(index));
}

/** How many values of an ascending list are below the bound. */
export function countBelow(ascending: readonly number[], bound: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? Infinity) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
