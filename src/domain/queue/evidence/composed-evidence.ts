// A landing whose tree nobody built as such is justified by green builds of its parts, when nothing that came between,
// and no other part, affects what a part affects (interface 2.6, grade `composed`).
//
// Whatever a target is affected by, the last of it in order to land has a build that holds all of the rest that
// affects it, in that order: so that the target is as it was when it was green.
import { overlap, type Targets } from '../model/overlap.ts';
import type { Landing, PinnedHead } from '../model/snapshot.ts';

/** A green build: the commit at its bottom, and what it holds on top of that, in order. */
export interface Part {
  readonly base: string;
  readonly content: readonly PinnedHead[];
}

type Change = PinnedHead & { readonly targets: Targets };

export interface Composition {
  readonly tip: string;
  /** What lands now, in queue order. */
  readonly members: readonly Change[];
  /** The builds it rests on. */
  readonly parts: readonly Part[];
  readonly landings: readonly Landing[];
}

/**
 * Every member is in a part that says of it what a build of the landing itself would. Where targets are not known
 * nothing does but a build of that very tree.
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

/** What moved the base from `base` to the tip. Null: that is not known. */
export function landingsSince(base: string, tip: string, landings: readonly Landing[]): readonly Landing[] | null {
  if (base === tip) return [];
  const first = landings.findIndex((landing) => landing.firstParent === base);
  return first === -1 || landings.at(-1)?.commit !== tip ? null : landings.slice(first);
}

/** Null: somebody else's is among them. */
function changesOf(landings: readonly Landing[]): readonly Change[] | null {
  const changes = landings.map(({ members }) => members);
  return changes.includes(null) ? null : changes.flatMap((members) => members ?? []);
}

/**
 * `order` is all that has come on top of the part's base, and what lands now. The part holds the one at `at`, nothing
 * that is not there, all before it that it overlaps, and that in the order in which it came.
 */
function isCovered(of: { readonly part: Part; readonly order: readonly Change[]; readonly at: number }): boolean {
  const { part, order, at } = of;
  const own = order[at];
  if (own === undefined) return false;
  const indices = new Map(part.content.map((pinned, index) => [keyOf(pinned), index]));
  const ownIndex = indices.get(keyOf(own));
  if (ownIndex === undefined) return false;
  let there = 0;
  for (const [orderIndex, change] of order.entries()) {
    const index = indices.get(keyOf(change));
    if (index !== undefined) there += 1;
    const isInOrder = index === undefined ? orderIndex > at : orderIndex < at === index < ownIndex;
    if (orderIndex !== at && !isInOrder && overlap(own.targets, change.targets)) return false;
  }
  return there === part.content.length;
}

export function keyOf({ pullRequest, head }: PinnedHead): string {
  return `${pullRequest}@${head}`;
}
