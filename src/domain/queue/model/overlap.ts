// Which pull requests can hinder one another: all, unless what they affect is known and disjoint.

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

/** For a place in order, the places before it whose targets overlap, in order. */
export type Overlaps = (index: number) => readonly number[];

export interface OverlapIndex {
  /** Found when it is asked for first: the cost is that of the pairs that overlap. */
  readonly before: Overlaps;
  /** Those from the index `from` on alone, at the cost of these. */
  readonly between: (from: number, index: number) => readonly number[];
  /** Some of those before it, from the index `from` on: whoever hangs together by all of them does by these. */
  readonly linksBefore: (index: number, from: number) => readonly number[];
  /** Whether there is one before it, from the index `from` on. */
  readonly hasBefore: (index: number, from: number) => boolean;
  /**
   * For each index no less than the product of the factors, each at most 1, of those before it, at a cost of the number
   * of targets and not of pairs: of the indices that share one target, for the target where it is least.
   */
  readonly productsBefore: (factors: ArrayLike<number>) => Float64Array;
}

type Line = readonly { readonly targets: Targets }[];

export function findOverlaps(line: Line): Overlaps {
  return indexOverlaps(line).before;
}

/** By an index of targets, so that changes which share none cost nothing; large sets are compared as wholes. */
export function indexOverlaps(line: Line): OverlapIndex {
  compareAll(line.flatMap(({ targets }) => (targets !== null && isLarge(targets) ? [targets] : [])));
  const targetIndex = indexTargets(line);
  const seen = new Int32Array(line.length);
  let asked = 0;
  const between = (from: number, index: number): readonly number[] => {
    const own = line[index]?.targets ?? null;
    if (own === null) return Array.from({ length: Math.max(0, index - from) }, (_, after) => from + after);
    const before: number[] = [];
    asked += 1;
    const take = (other: number): void => {
      if (seen[other] === asked) return;
      seen[other] = asked;
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
    // All before the last one that overlaps all hang together by that one.
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
  /** For each index whose targets are in the index, those that share a target with it, rising, itself among them. */
  readonly sharing: readonly (readonly (readonly number[])[])[];
  /** The others: those that overlap all, and those that affect so much that they are compared one by one. Rising. */
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

/** Places before it of which the index does not say whether they overlap it. */
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

/** Each is found when it is asked for first. */
export function remembered(find: Overlaps): Overlaps {
  const found: (readonly number[] | undefined)[] = [];
  return (index) => (found[index] ??= find(index));
}

/** How many are less, of some that rise. */
export function countBelow(rising: readonly number[], bound: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? Infinity) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
