// What is built together: neighbours of one stack, parts of what failed together, and otherwise one by one.
import type { Field } from './field.ts';
import { unitAt } from './formation.ts';

/** Places, in order within a unit and by the first of each. Without those that land now or need no build. */
export function unitsOf(field: Field): readonly (readonly number[])[] {
  const taken = new Set(field.landing);
  const units: number[][] = [];
  const take = (unit: readonly number[]): void => {
    for (const place of unit) taken.add(place);
    units.push([...unit]);
  };
  // What is asked together stays together until there is an answer.
  for (const { members } of field.bets)
    if (members.length > 1 && !members.some((place) => taken.has(place))) take(members);
  const parts = partsOf(field, taken);
  for (const [place, { skipValidation }] of field.line.entries()) {
    if (taken.has(place) || skipValidation) continue;
    take(parts.get(place) ?? stackAt(field, place, taken));
  }
  return units.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

/** Parts of bisected batches, by their first places. */
function partsOf(field: Field, taken: ReadonlySet<number>): ReadonlyMap<number, readonly number[]> {
  const open = new Map<string, number[]>();
  const parts = new Map<number, readonly number[]>();
  for (const [place, { bisection, skipValidation }] of field.line.entries()) {
    if (bisection === null || taken.has(place) || skipValidation) continue;
    const part = open.get(bisection.group);
    if (part !== undefined && part.length < bisection.max) {
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
