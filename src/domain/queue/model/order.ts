// Defines the order of a queue, and the places of pull requests that a bisection took out of the line.
import type { QueueRules } from './rules.ts';
import type { BatchState, PullRequestState } from './snapshot.ts';

type Placed = Pick<PullRequestState, 'skipLine' | 'rank' | 'number'>;

/**
 * Pull requests that skip the line come first. Within both groups the rank decides, and among equal ranks the number.
 */
export function compareInLine(a: Placed, b: Placed): number {
  if (a.skipLine !== b.skipLine) return a.skipLine ? -1 : 1;
  return a.rank - b.rank || a.number - b.number;
}

export function inLineOrder<T extends Placed>(pullRequests: readonly T[]): T[] {
  return [...pullRequests].sort(compareInLine);
}

/**
 * Whether a bisection took the pull request out of its place. Stacked pull requests, barriers, and pull requests that
 * skip the line or the validation keep their places.
 */
export function hasLostPlace(pullRequest: PullRequestState, rules: Pick<QueueRules, 'mode'>): boolean {
  const { bisection, stack, skipLine, skipValidation, isBarrier } = pullRequest;
  const isOut = bisection !== null && bisection.phase !== 'in_place';
  return isOut && stack === null && rules.mode === 'parallel' && !skipLine && !skipValidation && !isBarrier;
}

export interface Arrangement {
  readonly rules: Pick<QueueRules, 'mode' | 'useParallelBisection'>;
  /** The batches in line, by position. */
  readonly batches: readonly BatchState[];
  readonly sideBuilds: readonly BatchState[];
  readonly isSuspended: (pullRequest: PullRequestState) => boolean;
}

/**
 * A pull request in a side build is not in line. When it returns, its place is behind the running builds, so that no
 * running build is repeated. Among the pull requests without a batch, its rank decides. Once it has a batch, its place
 * is that of the batch.
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
  const inSideBuilds = new Set(of.sideBuilds.flatMap((batch) => batch.members.map((member) => member.pullRequest)));
  const waiting = [...lost.values()].filter(
    ({ id, bisection }) =>
      !inSideBuilds.has(id) && !(of.rules.useParallelBisection && bisection?.phase === 'side_build'),
  );
  // A pull request that conflicts with the line keeps its place by rank, and is tried again there.
  const suspended = waiting.filter(of.isSuspended);
  const end = [...arranged.slice(built), ...waiting.filter((candidate) => !suspended.includes(candidate))];
  const line = [...arranged.slice(0, built), ...inLineOrder(end)];
  for (const candidate of suspended) {
    const next = placed.find((other) => compareInLine(candidate, other) < 0);
    line.splice(next === undefined ? line.length : line.indexOf(next), 0, candidate);
  }
  return line;
}
