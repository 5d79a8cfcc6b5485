// The rule by which the front of a long line is read, for comparison with src/modules/queue/facts/front-of-line.ts.
import { withStacks } from '../../src/domain/queue/requests/stacks.ts';
import type { PullRequestState, Snapshot } from '../../src/domain/queue/model/snapshot.ts';

interface Front {
  readonly snapshot: Snapshot;
  readonly isCovered: (pullRequest: PullRequestState) => boolean;
}

/** `evidence`: heads whose own build has the tree of a live batch. Null: the line is so short that it is read whole. */
export function frontOf(whole: Snapshot, size: number, evidence: readonly string[] = []): Front | null {
  const { pullRequests, batches, mergeResults } = whole;
  const byRank = pullRequests.toSorted((a, b) => a.rank - b.rank);
  const covered = byRank[size];
  const read = byRank[size + 2 * whole.rules.batchSize + 2];
  if (covered === undefined || read === undefined) return null;
  const byId = new Map(pullRequests.map((pullRequest) => [pullRequest.id, pullRequest]));
  const built = batches.flatMap(({ members, assumes }) =>
    [...members, ...assumes].map(({ pullRequest }) => pullRequest),
  );
  const last = Math.max(read.rank, ...built.map((id) => byId.get(id)?.rank ?? 0));
  const front = pullRequests.filter(({ rank, skipLine }) => rank <= last || skipLine);
  const ids = new Set(front.map(({ id }) => id));
  const heads = new Set([
    ...evidence,
    ...batches.flatMap(({ members }) => members.map(({ head }) => head)),
    ...mergeResults.flatMap((result) => result.heads.slice(0, result.conflictAt)),
    ...front.flatMap(({ conflict }) => conflict?.after ?? []),
  ]);
  const isNeeded = ({ head, below }: PullRequestState): boolean =>
    heads.has(head) || (below !== null && front.some(({ id }) => id === below));
  for (const pullRequest of pullRequests) if (isNeeded(pullRequest)) ids.add(pullRequest.id);
  for (const { below } of front)
    for (let at = below; at !== null && !ids.has(at); at = byId.get(at)?.below ?? null) ids.add(at);
  return {
    snapshot: { ...whole, pullRequests: loaded(pullRequests.filter(({ id }) => ids.has(id))) },
    isCovered: ({ rank, skipLine }) => skipLine || rank < covered.rank,
  };
}

/** The pull requests with the facts that the loader derives from the others. */
export function loaded(pullRequests: readonly PullRequestState[]): readonly PullRequestState[] {
  const ids = new Set(pullRequests.map(({ id }) => id));
  return withStacks(
    pullRequests.map((row) => ({
      ...row,
      stack: null,
      below: row.below !== null && ids.has(row.below) ? row.below : null,
    })),
  );
}
