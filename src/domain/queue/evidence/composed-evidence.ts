// Green builds of parts can justify a landing whose whole tree was not built (interface 2.6, grade `composed`). Each
// landing pull request needs a green build that contains it and, in the same order, all earlier changes that overlap
// it. Changes that landed since the build was made count as earlier changes.
//
// This suffices, because the last change that affects a target has a green build. This build contains all other changes
// that affect the target, in the same order. So the target is the same as in the green build.
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
 * Whether every member is in a part that proves as much about the member as a build of the whole landing would. A
 * member with unknown targets is proven only by a build of the whole tree.
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

/** The landings that moved the base branch from `base` to the tip. Null: not known. */
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
 * `order` contains the changes that have landed on top of the base of the part, then those that land now. Returns true
 * if the part contains the change at index `at`, every earlier change that overlaps it, in the same order, and nothing
 * outside of `order`.
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
