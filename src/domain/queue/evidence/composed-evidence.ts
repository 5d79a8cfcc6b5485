// A landing whose tree nobody built is justified by green builds of its parts, if nothing that landed in between, and
// no other part, affects what a part affects (interface 2.6, grade `composed`).
//
// For every target, the last change that affects it has a build. That build holds all other changes that affect the
// target, in the same order. So the target is the same as when that build was green.
import { overlap, type Targets } from '../model/overlap.ts';
import type { Landing, PinnedHead } from '../model/snapshot.ts';

/** A green build: its base commit and the changes on top of the base, in order. */
export interface Part {
  readonly base: string;
  readonly content: readonly PinnedHead[];
}

type Change = PinnedHead & { readonly targets: Targets };

export interface Composition {
  readonly tip: string;
  /** The changes that land now, in queue order. */
  readonly members: readonly Change[];
  /** The builds that justify the landing. */
  readonly parts: readonly Part[];
  readonly landings: readonly Landing[];
}

/**
 * Whether every member is in a part that proves as much about it as a build of the landing itself. If targets are not
 * known, only a build of that very tree proves anything.
 */
export function isComposed({ tip, members, parts, landings }: Composition): boolean {
  const known = parts.flatMap((part) => {
    const since = landingsSince(part.base, tip, landings);
    const before = since === null ? null : changesOf(since);
    return before === null ? [] : [{ part, before }];
  });
  const covers = (at: number): boolean =>
    known.some(({ part, before }) => isCovered({ part, order: [...before, ...members], at: before.length + at }));
  return members.length > 0 && members.every(({ targets }, at) => targets !== null && covers(at));
}

/** The landings that moved the base from `base` to the tip. Null: not known. */
export function landingsSince(base: string, tip: string, landings: readonly Landing[]): readonly Landing[] | null {
  if (base === tip) return [];
  const first = landings.findIndex((landing) => landing.firstParent === base);
  return first === -1 || landings.at(-1)?.commit !== tip ? null : landings.slice(first);
}

/** Null: one of the landings is an outside change. */
function changesOf(landings: readonly Landing[]): readonly Change[] | null {
  const changes = landings.map(({ members }) => members);
  return changes.includes(null) ? null : changes.flatMap((members) => members ?? []);
}

/**
 * `order` lists everything that has landed on top of the part's base, then what lands now. The part holds the change at
 * index `at`, nothing from outside `order`, and every earlier change that overlaps it, in the same order.
 */
function isCovered(of: { readonly part: Part; readonly order: readonly Change[]; readonly at: number }): boolean {
  const { part, order, at } = of;
  const own = order[at];
  if (own === undefined) return false;
  const indices = new Map(part.content.map((pinned, index) => [keyOf(pinned), index]));
  const ownIndex = indices.get(keyOf(own));
  if (ownIndex === undefined) return false;
  let foundCount = 0;
  for (const [orderIndex, change] of order.entries()) {
    const index = indices.get(keyOf(change));
    if (index !== undefined) foundCount += 1;
    const isInOrder = index === undefined ? orderIndex > at : orderIndex < at === index < ownIndex;
    if (orderIndex !== at && !isInOrder && overlap(own.targets, change.targets)) return false;
  }
  return foundCount === part.content.length;
}

export function keyOf({ pullRequest, head }: PinnedHead): string {
  return `${pullRequest}@${head}`;
}
