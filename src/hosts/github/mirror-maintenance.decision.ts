// When a mirror is kept up, and what goes: pure decisions.
import { landingPrefix } from './landing-ledger.ts';

export interface KeptRef {
  readonly ref: string;
  readonly commit: string;
}

/** When refs were seen first on this machine, in milliseconds since the epoch, by commit and name. */
export type Seen = Readonly<Record<string, number>>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Packs beside each other cost every look-up, and joining them costs the whole repository. */
export const mostPacks = 20;

const everyMs = 20 * hourMs;
const idleMs = 2 * minuteMs;
/** A mirror that is never idle is kept up all the same. */
const latestMs = 2 * dayMs;

/** Not during a landing: the mirror has been idle, or has not been kept up for two days. */
export function isMaintenanceDue(of: {
  readonly keptUpAt: number;
  readonly usedAt: number;
  readonly now: number;
}): boolean {
  const since = of.now - of.keptUpAt;
  if (since < 0) return true;
  return since >= latestMs || (since >= everyMs && of.now - of.usedAt >= idleMs);
}

function keyOf({ ref, commit }: KeptRef): string {
  return `${commit} ${ref}`;
}

/** A ref that moved counts as a new ref. Refs that are gone are forgotten. */
export function noteSeen(seen: Seen, refs: readonly KeptRef[], now: number): Seen {
  return Object.fromEntries(refs.map(keyOf).map((key) => [key, Math.min(seen[key] ?? now, now)]));
}

/** A ref that was not seen before is as young as can be. */
export function whenSeen(seen: Seen, ref: KeptRef, now: number): number {
  return seen[keyOf(ref)] ?? now;
}

const keptMs = 14 * dayMs;

/** Refs of the mirror that keep commits of builds, updates and fetches: none of them is needed after two weeks. */
export function planRefRemoval(kept: readonly KeptRef[], seen: Seen, now: number): KeptRef[] {
  return kept.filter(
    (each) =>
      /^refs\/(interlock|mirror\/(commits|interlock))\//.test(each.ref) &&
      !each.ref.startsWith(landingPrefix) &&
      now - whenSeen(seen, each, now) >= keptMs,
  );
}

export interface MirrorOnDisk {
  readonly directory: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/**
 * The least recently used mirrors, until the others fit. Never a mirror that was used within a day: builds may wait
 * there.
 */
export function decideRemovals(
  mirrors: readonly MirrorOnDisk[],
  { maxBytes, now }: { readonly maxBytes: number; readonly now: number },
): MirrorOnDisk[] {
  let bytes = mirrors.reduce((sum, mirror) => sum + mirror.bytes, 0);
  const removed: MirrorOnDisk[] = [];
  for (const mirror of mirrors.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (bytes <= maxBytes || now - mirror.usedAt < dayMs) break;
    bytes -= mirror.bytes;
    removed.push(mirror);
  }
  return removed;
}
