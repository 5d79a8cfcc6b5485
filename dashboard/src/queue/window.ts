// Decides which part of a long line is read: the rows on screen, and some rows before and after them.
import type { QueueData, ShownEntry } from './summary.ts';

/** A place in line. Pull requests far from the rows on screen have not been read. */
export interface Slot {
  /** The number of the pull request. Less than 0 if the number is not known. */
  readonly number: number;
  /** The place in line, counted from 1. */
  readonly place: number;
  /** The pull request. Null: it has not been read. */
  readonly entry: ShownEntry | null;
}

/** How many entries are read at once. This is twice as many as a large screen shows. */
export const windowSize = 50;
/** A window begins after a multiple of this number, so that scrolling back finds the window in the cache. */
const step = 10;

/** The places in line that are on screen, the last one included. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The first place of the window to read. The window moves only if it does not contain all places on screen. */
export function decideWindow(begin: number, { first, last }: RowRange): number {
  if (first >= begin && last < begin + windowSize) return begin;
  const middle = Math.floor((first + last) / 2);
  return Math.max(1, Math.floor((middle - windowSize / 2) / step) * step + 1);
}

/** Lists every place of the line in order, with the pull request if it has been read. */
export function fillSlots(queue: QueueData): readonly Slot[] {
  const known = new Map<number, Slot>();
  const numbers = new Set<number>();
  for (const { position, pullRequest, explain } of queue.line.nodes) {
    known.set(position, { number: pullRequest.number, place: position, entry: { ...pullRequest, explain } });
    numbers.add(pullRequest.number);
  }
  // The members of batches have their present positions, which do not fit a queue of the past.
  const members = queue.asOf ? [] : queue.batches.nodes.flatMap((batch) => batch.members);
  for (const { pullRequest } of members) {
    const { number, position: place } = pullRequest;
    // Entries and members may have been read at different moments. The entries take precedence.
    if (!place || known.has(place) || numbers.has(number)) continue;
    known.set(place, { number, place, entry: null });
    numbers.add(number);
  }
  const length = Math.max(queue.line.totalCount, ...queue.line.nodes.map(({ position }) => position));
  return Array.from({ length }, (_, at) => known.get(at + 1) ?? { number: -at - 1, place: at + 1, entry: null });
}
