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
export type Overlaps = (place: number) => readonly number[];

export interface OverlapIndex {
  /** Found when it is asked for first: the cost is that of the pairs that overlap. */
  readonly before: Overlaps;
  /** Those from the place `from` on alone, at the cost of these. */
  readonly between: (from: number, place: number) => readonly number[];
  /** Some of those before it, from the place `from` on: whoever hangs together by all of them does by these. */
  readonly linksBefore: (place: number, from: number) => readonly number[];
  /** Whether there is one before it, from the place `from` on. */
  readonly hasBefore: (place: number, from: number) => boolean;
  /**
   * For each place no less than the product of the factors, each at most 1, of those before it, at a cost of the number
   * of targets and not of pairs: of the places that share one target, for the target where it is least.
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
  const index = indexTargets(line);
  const seen = new Int32Array(line.length);
  let asked = 0;
  const between = (from: number, place: number): readonly number[] => {
    const own = line[place]?.targets ?? null;
    if (own === null) return Array.from({ length: Math.max(0, place - from) }, (_, after) => from + after);
    const before: number[] = [];
    asked += 1;
    const take = (other: number): void => {
      if (seen[other] === asked) return;
      seen[other] = asked;
      before.push(other);
    };
    for (const places of index.sharing[place] ?? [])
      for (let at = countBelow(places, from); (places[at] ?? place) < place; at += 1) take(places[at] ?? place);
    for (const other of comparedWith(line, index, place))
      if (other >= from && overlap(own, line[other]?.targets ?? null)) take(other);
    return before.sort((a, b) => a - b);
  };
  const linksBefore = (place: number, from: number): readonly number[] => {
    const own = line[place]?.targets ?? null;
    if (own === null) return between(from, place);
    const neighbours = (index.sharing[place] ?? []).map((places) => places[countBelow(places, place) - 1] ?? -1);
    const compared = comparedWith(line, index, place);
    // All before the last one that overlaps all hang together by that one.
    const last = compared.findLast((other) => line[other]?.targets === null) ?? -1;
    const found = compared.filter((other) => other >= last && overlap(own, line[other]?.targets ?? null));
    return [...neighbours, ...found].filter((other) => other >= from);
  };
  const hasBefore = (place: number, from: number): boolean => {
    const own = line[place]?.targets ?? null;
    if (own === null) return place > from;
    const isThere = (places: readonly number[]): boolean => (places[countBelow(places, from)] ?? place) < place;
    return (
      (index.sharing[place] ?? []).some(isThere) ||
      comparedWith(line, index, place).some((other) => other >= from && overlap(own, line[other]?.targets ?? null))
    );
  };
  const before = remembered((place) => between(0, place));
  return { before, between, linksBefore, hasBefore, productsBefore: (factors) => productsBefore(line, index, factors) };
}

interface TargetIndex {
  /** For each place whose targets are in the index, those that share a target with it, rising, itself among them. */
  readonly sharing: readonly (readonly (readonly number[])[])[];
  /** The others: those that overlap all, and those that affect so much that they are compared one by one. Rising. */
  readonly apart: readonly number[];
}

function indexTargets(line: Line): TargetIndex {
  const byTarget = new Map<string, number[]>();
  const apart: number[] = [];
  const sharing = line.map(({ targets }, place) => {
    const shared: (readonly number[])[] = [];
    if (targets === null || isLarge(targets)) {
      apart.push(place);
      return shared;
    }
    for (const target of targets) {
      const known = byTarget.get(target);
      if (known?.at(-1) === place) continue;
      const places = known ?? [];
      if (known === undefined) byTarget.set(target, places);
      places.push(place);
      shared.push(places);
    }
    return shared;
  });
  return { sharing, apart };
}

/** Places before it of which the index does not say whether they overlap it. */
function comparedWith(line: Line, { apart }: TargetIndex, place: number): readonly number[] {
  const targets = line[place]?.targets ?? [];
  if (isLarge(targets)) return Array.from({ length: place }, (_, before) => before);
  return apart.slice(0, countBelow(apart, place));
}

function productsBefore(line: Line, { sharing }: TargetIndex, factors: ArrayLike<number>): Float64Array {
  const products = new Map<readonly number[], number>();
  let [ofAll, ofEverywhere] = [1, 1];
  return Float64Array.from(line, ({ targets }, place) => {
    const factor = factors[place] ?? 1;
    const shared = sharing[place] ?? [];
    const least = shared.reduce((low, places) => Math.min(low, products.get(places) ?? 1), 1);
    const before = targets === null ? ofAll : ofEverywhere * least;
    ofAll *= factor;
    if (targets === null) ofEverywhere *= factor;
    for (const places of shared) products.set(places, (products.get(places) ?? 1) * factor);
    return before;
  });
}

/** Each is found when it is asked for first. */
export function remembered(find: Overlaps): Overlaps {
  const found: (readonly number[] | undefined)[] = [];
  return (place) => (found[place] ??= find(place));
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
