// The whole order of a queue: the comparator, and where those stand that a bisection took out of it.
import type { BatchState, PullRequestState, QueueRules } from './snapshot.ts';

type Placed = Pick<PullRequestState, 'skipLine' | 'rank' | 'number'>;

/** Skip-line pull requests first, in their own order; then rank. The number settles equal ranks, so that the order is total. */
export function compareInLine(a: Placed, b: Placed): number {
  if (a.skipLine !== b.skipLine) return a.skipLine ? -1 : 1;
  return a.rank - b.rank || a.number - b.number;
}

export function inLineOrder<T extends Placed>(pullRequests: readonly T[]): T[] {
  return [...pullRequests].sort(compareInLine);
}

/** A bisection took it out of its place, and nothing since puts it back there: what was asked, or a stack it is in. */
export function hasLostPlace(pullRequest: PullRequestState, rules: Pick<QueueRules, 'mode'>): boolean {
  const { bisection, stack, skipLine, skipValidation, isBarrier } = pullRequest;
  const isOut = bisection !== null && bisection.phase !== 'in_place';
  return isOut && stack === null && rules.mode === 'parallel' && !skipLine && !skipValidation && !isBarrier;
}

export interface Arrangement {
  readonly rules: Pick<QueueRules, 'mode' | 'useParallelBisection'>;
  /** In line, by position. */
  readonly batches: readonly BatchState[];
  readonly sideBuilds: readonly BatchState[];
  readonly isSuspended: (pullRequest: PullRequestState) => boolean;
}

/**
 * Beside the line it is no part of it. Back from there it is built behind what is being built, so that nothing is built
 * anew on its account: before all who have no batch and a higher rank, then wherever its batch stands.
 */
export function arrangeLine(pullRequests: Iterable<PullRequestState>, of: Arrangement): readonly PullRequestState[] {
  const inOrder = inLineOrder([...pullRequests]);
  const lost = new Map(
    inOrder.flatMap((candidate) => (hasLostPlace(candidate, of.rules) ? [[candidate.id, candidate]] : [])),
  );
  if (lost.size === 0) return inOrder;
  const placed = inOrder.filter((candidate) => !lost.has(candidate.id));
  const arranged = [...placed];
  let built = 0;
  for (const { pullRequest } of of.batches.flatMap((batch) => batch.members)) {
    const own = lost.get(pullRequest);
    lost.delete(pullRequest);
    if (own !== undefined) arranged.splice(built, 0, own);
    const at = own === undefined ? arranged.findIndex((candidate) => candidate.id === pullRequest) : built;
    built = Math.max(built, at + 1);
  }
  const asked = new Set(of.sideBuilds.flatMap((batch) => batch.members.map((member) => member.pullRequest)));
  const waiting = [...lost.values()].filter(
    ({ id, bisection }) => !asked.has(id) && !(of.rules.useParallelBisection && bisection?.phase === 'side_build'),
  );
  // What is known to conflict with the line waits in its own place, as everybody does, and is tried there.
  const suspended = waiting.filter(of.isSuspended);
  const end = [...arranged.slice(built), ...waiting.filter((candidate) => !suspended.includes(candidate))];
  const line = [...arranged.slice(0, built), ...inLineOrder(end)];
  for (const candidate of suspended) {
    const next = placed.find((other) => compareInLine(candidate, other) < 0);
    line.splice(next === undefined ? line.length : line.indexOf(next), 0, candidate);
  }
  return line;
}
