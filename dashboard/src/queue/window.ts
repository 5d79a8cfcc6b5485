// A long line is read in windows: only what is on screen, with some rows before and behind it. Pure.
import type { QueueData, ShownEntry } from './summary.ts';

/** A place in line. What is not near the screen has not been read. */
export interface Slot {
  /** Of the pull request. Less than 0 where it is not known. */
  readonly number: number;
  /** Counted from 1. */
  readonly place: number;
  /** Null: not read. */
  readonly entry: ShownEntry | null;
}

/** How many entries are read at once: what fits on a large screen, and half of it again at both ends. */
export const windowSize = 50;
/** Windows begin at few different places, so that going back finds them in the cache. */
const step = 10;

/** The places in line that are on screen, the last one included. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** Where the window that shows these places begins: as before, while they are in it. */
export function decideWindow(begin: number, { first, last }: RowRange): number {
  if (first >= begin && last < begin + windowSize) return begin;
  const middle = Math.floor((first + last) / 2);
  return Math.max(1, Math.floor((middle - windowSize / 2) / step) * step + 1);
}

/** Every place of the line in order, with what has been read of it. */
export function fillSlots(queue: QueueData): readonly Slot[] {
  const known = new Map<number, Slot>();
  const numbers = new Set<number>();
  for (const { position, pullRequest, explain } of queue.line.nodes) {
    known.set(position, { number: pullRequest.number, place: position, entry: { ...pullRequest, explain } });
    numbers.add(pullRequest.number);
  }
  // Places of members are those of now, which a queue of the past is not.
  const members = queue.asOf ? [] : queue.batches.nodes.flatMap((batch) => batch.members);
  for (const { pullRequest } of members) {
    const { number, position: place } = pullRequest;
    // Two statements may have read two moments: the entries count.
    if (!place || known.has(place) || numbers.has(number)) continue;
    known.set(place, { number, place, entry: null });
    numbers.add(number);
  }
  const length = Math.max(queue.line.totalCount, ...queue.line.nodes.map(({ position }) => position));
  return Array.from({ length }, (_, at) => known.get(at + 1) ?? { number: -at - 1, place: at + 1, entry: null });
}
