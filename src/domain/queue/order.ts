// The whole order of a queue is this comparator.
import type { PullRequestState } from './snapshot.ts';

type Placed = Pick<PullRequestState, 'skipLine' | 'rank' | 'number'>;

/** Skip-line pull requests first, in their own order; then rank. The number settles equal ranks, so that the order is total. */
export function compareInLine(a: Placed, b: Placed): number {
  if (a.skipLine !== b.skipLine) return a.skipLine ? -1 : 1;
  return a.rank - b.rank || a.number - b.number;
}

export function inLineOrder<T extends Placed>(pullRequests: readonly T[]): T[] {
  return [...pullRequests].sort(compareInLine);
}
