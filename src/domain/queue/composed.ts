// A landing whose tree nobody built as such is justified by green builds of its parts, when nothing that came between,
// and no other part, affects what a part affects (interface 2.3, grade `composed`).
import { overlap, type Targets } from './overlap.ts';
import type { Landing, PinnedHead } from './snapshot.ts';

/** A green build: the commit at its bottom, and what it holds on top of that. */
export interface Part {
  readonly base: string;
  readonly content: readonly PinnedHead[];
}

export interface Composition {
  readonly tip: string;
  /** What lands now, in queue order. */
  readonly members: readonly (PinnedHead & { readonly targets: Targets })[];
  /** The builds it rests on. */
  readonly parts: readonly Part[];
  readonly landings: readonly Landing[];
}

/** Every member is in a part that says of it what a build of the landing itself would. */
export function isComposed({ tip, members, parts, landings }: Composition): boolean {
  if (parts.length === 0 || members.length === 0) return false;
  const held = new Set<string>();
  for (const part of parts) {
    const since = landingsSince(part.base, tip, landings);
    if (since === null || !isIntact(part, since, members)) return false;
    const content = new Set(part.content.map(keyOf));
    for (const member of members) if (content.has(keyOf(member))) held.add(keyOf(member));
  }
  return members.every((member) => held.has(keyOf(member)));
}

/** What moved the base from `base` to the tip. Null: that is not known. */
export function landingsSince(base: string, tip: string, landings: readonly Landing[]): readonly Landing[] | null {
  if (base === tip) return [];
  const first = landings.findIndex((landing) => landing.firstParent === base);
  return first === -1 || landings.at(-1)?.commit !== tip ? null : landings.slice(first);
}

/** All of the part is in the base or lands now, and what else is or does leaves alone what of it lands now. */
function isIntact(part: Part, since: readonly Landing[], members: Composition['members']): boolean {
  const content = new Set(part.content.map(keyOf));
  const own = members.filter((member) => content.has(keyOf(member)));
  if (own.length === 0) return false;
  const there = new Set(own.map(keyOf));
  const foreign: Targets[] = members.filter((member) => !content.has(keyOf(member))).map(({ targets }) => targets);
  for (const landing of since) {
    if (landing.members === null) return false;
    for (const member of landing.members) {
      if (content.has(keyOf(member))) there.add(keyOf(member));
      else foreign.push(member.targets);
    }
  }
  return there.size === content.size && own.every((member) => !foreign.some((of) => overlap(member.targets, of)));
}

function keyOf({ pullRequest, head }: PinnedHead): string {
  return `${pullRequest}@${head}`;
}
