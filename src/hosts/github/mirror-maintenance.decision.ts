// Decides when a mirror needs maintenance, which of its refs are removed, and which mirrors are removed. Pure.
import { landingPrefix } from './landing-ledger.ts';

export interface MirrorRef {
  readonly ref: string;
  readonly commit: string;
}

/**
 * When each ref was first seen on this machine, in milliseconds since the epoch. The key has the commit and the name of
 * the ref.
 */
export type FirstSeen = Readonly<Record<string, number>>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * If there are more packs than this, all packs are joined. Many packs make every read slower, but joining them rewrites
 * the whole repository.
 */
export const maxPacks = 20;

const everyMs = 20 * hourMs;
const idleMs = 2 * minuteMs;
/** After this time, a mirror gets maintenance even if it is in use. */
const latestMs = 2 * dayMs;

/**
 * Whether maintenance may start: the last one was 20 hours ago and the mirror is idle, or the last one was two days
 * ago.
 */
export function isMaintenanceDue(times: {
  readonly keptUpAt: number;
  readonly usedAt: number;
  readonly now: number;
}): boolean {
  const since = times.now - times.keptUpAt;
  if (since < 0) return true;
  return since >= latestMs || (since >= everyMs && times.now - times.usedAt >= idleMs);
}

function keyOf({ ref, commit }: MirrorRef): string {
  return `${commit} ${ref}`;
}

/** Adds refs that are new, and leaves out refs that no longer exist. A ref that has moved counts as new. */
export function noteFirstSeen(seen: FirstSeen, refs: readonly MirrorRef[], now: number): FirstSeen {
  return Object.fromEntries(refs.map(keyOf).map((key) => [key, Math.min(seen[key] ?? now, now)]));
}

/** When the ref was first seen. For a ref that was not seen before, `now`. */
export function firstSeenAt(seen: FirstSeen, ref: MirrorRef, now: number): number {
  return seen[keyOf(ref)] ?? now;
}

const keptMs = 14 * dayMs;

/**
 * The refs of the mirror that protect commits of builds, updates and fetches, and were first seen two weeks ago or
 * earlier. They are not needed any more.
 */
export function planRefRemoval(kept: readonly MirrorRef[], seen: FirstSeen, now: number): MirrorRef[] {
  return kept.filter(
    (each) =>
      /^refs\/(interlock|mirror\/(commits|interlock))\//.test(each.ref) &&
      !each.ref.startsWith(landingPrefix) &&
      now - firstSeenAt(seen, each, now) >= keptMs,
  );
}

export interface MirrorOnDisk {
  readonly directory: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/**
 * The mirrors to remove: the least recently used ones, until the others fit into `maxBytes`. A mirror that was used
 * within a day stays, because builds may need it.
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
