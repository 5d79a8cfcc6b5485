// What is built together: neighbours of one stack, parts of what failed together, batches, and otherwise one by one.
import type { Batches } from './batches.ts';
import { isFailure } from '../planning/failure.ts';
import type { Bet, Field } from './graph.ts';
import { unitAt } from '../linear/formation.ts';
import { halve, isSearched, unexplained } from './culprit-search.ts';
import { isSuspended } from '../planning/line.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** Places, in order within a unit and by the first of each. Without those that land now, need no build or wait for company. */
export function unitsOf(field: Field, { batches, held }: Batches): readonly (readonly number[])[] {
  const taken = new Set([...field.landing, ...held]);
  const units: number[][] = [];
  const take = (places: readonly number[]): void => {
    // Members of a bet may have changed places since.
    const unit = places.toSorted((a, b) => a - b);
    for (const place of unit) taken.add(place);
    // What stands between its members would be built before all of them.
    if (isUndivided(field, unit)) units.push(unit);
    else units.push(...unit.map((place) => [place]));
  };
  const leftOf = ({ members }: Bet): readonly number[] => members.filter((place) => !taken.has(place));
  // What is asked together stays together until there is an answer.
  const fitting = field.bets.filter((bet) => isUnit(field, bet));
  for (const bet of fitting) {
    if (isFailure(bet.verdict) && isSearched(field, bet)) continue;
    const left = leftOf(bet);
    if (bet.members.length > 1 && left.length > 0) take(left);
  }
  for (const bet of unexplained(field)) for (const half of halve(field, leftOf(bet))) take(half);
  const asked = new Set(fitting.flatMap(({ members }) => members));
  const parts = partsOf(field, new Set([...taken, ...asked]));
  for (const batch of batches) if (batch.every((place) => !taken.has(place))) take(batch);
  for (const [place, { skipValidation }] of field.line.entries()) {
    if (taken.has(place) || skipValidation) continue;
    take(parts.get(place) ?? stackAt(field, place, taken));
  }
  return units.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

/** Nobody in it goes ahead of the others or holds all up, and it overlaps nothing that stands between its members. */
function isUndivided(field: Field, unit: readonly number[]): boolean {
  const [first = 0] = unit;
  const isApart = (place: number): boolean => {
    const row = field.line[place];
    return row === undefined || row.skipLine || row.isBarrier;
  };
  return (
    unit.length === 1 ||
    unit.every(
      (place) => !isApart(place) && field.before(place).every((before) => before < first || unit.includes(before)),
    )
  );
}

/** What was asked before it failed a gate with others may hold more than is asked together since: what it said stands all the same. */
function isUnit({ line, view }: Field, { members }: Bet): boolean {
  const rows = members.flatMap((place) => line[place] ?? []);
  const isBisected = rows.some(({ bisection }) => bisection !== null);
  return areOneGroup(rows) && (!isBisected || rows.length <= view.snapshot.rules.batchSize);
}

/** What failed together is put together again in parts alone, as large as they were to be tried. */
export function areOneGroup(rows: readonly PullRequestState[]): boolean {
  const group = rows[0]?.bisection?.group ?? null;
  const most = Math.min(...rows.map(({ bisection }) => bisection?.max ?? Infinity));
  return rows.length <= most && rows.every(({ bisection }) => (bisection?.group ?? null) === group);
}

/** Parts of bisected batches, by their first places. Who is asked alone already stays so. */
function partsOf(field: Field, taken: ReadonlySet<number>): ReadonlyMap<number, readonly number[]> {
  const open = new Map<string, number[]>();
  const parts = new Map<number, readonly number[]>();
  const { batchSize } = field.view.snapshot.rules;
  for (const [place, row] of field.line.entries()) {
    const { bisection, skipValidation } = row;
    if (bisection === null || taken.has(place) || skipValidation) continue;
    // It may not merge behind another part of its own: then neither would ever be built.
    if (isSuspended(field.view, row)) continue;
    const part = open.get(bisection.group);
    if (part !== undefined && part.length < Math.min(batchSize, bisection.max)) {
      part.push(place);
      continue;
    }
    const begun = [place];
    open.set(bisection.group, begun);
    parts.set(place, begun);
  }
  return parts;
}

function stackAt(field: Field, place: number, taken: ReadonlySet<number>): readonly number[] {
  if (field.line[place]?.stack === null) return [place];
  const stack = unitAt(field.view, place).map((_, offset) => place + offset);
  const end = stack.findIndex((member) => taken.has(member));
  return end === -1 ? stack : stack.slice(0, end);
}
