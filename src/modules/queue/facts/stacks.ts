// Reads the pull requests below a stacked pull request, and what follows from them for its admission and its commit.
import type { Context } from '../../../context.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import { deepestStack, isLeftOut, waitsForBelow, type LandedHead } from '../../../domain/queue/requests/stacks.ts';
import { isQueued, isTerminal } from '../../../domain/queue/model/status.ts';
import type { PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { type QueueWork } from '../store/status.writer.ts';

interface StackPosition {
  readonly belowId?: string | null;
}

export interface PullRequestBelow {
  readonly id: string;
  readonly number: number;
  readonly status: PullRequestStatus;
  /** The head commit. If the pull request is merged: the head that landed. */
  readonly head: string;
}

/**
 * The pull requests directly below the given ones, by id. Flush the unit of work before the call, because this reads
 * the database.
 */
export async function readPullRequestsBelow(
  ctx: Context,
  tx: Transaction,
  positions: readonly StackPosition[],
): Promise<ReadonlyMap<string, PullRequestBelow>> {
  const ids = [...new Set(positions.flatMap(({ belowId }) => belowId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await tx.query<PullRequestBelow>(
    `select p.id, p.number, p.status, coalesce(m.pinned_head, p.head_sha) as head
     from pull_request p left join landed_member m on m.account_id = p.account_id and m.pull_request_id = p.id
     where p.account_id = $1 and p.id = any($2::bigint[])`,
    [ctx.accountId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The pull request below, which must be earlier in line. Null: there is none, or it is merged. */
export function findOpenBelow(
  below: ReadonlyMap<string, PullRequestBelow>,
  belowId: string | null | undefined,
): string | null {
  if (!belowId || below.get(belowId)?.status === 'merged') return null;
  return belowId;
}

/**
 * Why the pull request below keeps a pull request out of the line. Null: the pull request below is in line or merged,
 * or there is none.
 */
export function obstacleBelow(
  below: ReadonlyMap<string, Pick<PullRequestBelow, 'number' | 'status'>>,
  belowId: string | null | undefined,
): string | null {
  const found = belowId ? below.get(belowId) : undefined;
  if (found === undefined || isQueued(found.status) || found.status === 'merged') return null;
  return waitsForBelow(found);
}

/**
 * Whether the configuration detects stacks and the base branch of the pull request is the head of another. Such a pull
 * request is in the queue of the base branch at the bottom of its stack.
 */
export function isInStack(configuration: Configuration, { belowId }: StackPosition): boolean {
  return configuration.merge_rules.auto_detect_stacks && Boolean(belowId);
}

/** Whether the pull request below has landed on the base branch of the queue of this one. */
export async function isBelowLanded(
  tx: Transaction,
  { belowId, queueId }: Pick<PullRequestRow, 'belowId' | 'queueId'>,
): Promise<boolean> {
  if (!belowId) return false;
  const below = await tx.em.findOneOrFail(PullRequestEntity, { id: belowId });
  return below.status === 'merged' && below.queueId === queueId;
}

/** Whether the landing of the pull request below left out commits of its head. */
export async function hasLeftOutCommitsBelow(
  { ctx, tx }: Pick<QueueWork, 'ctx' | 'tx'>,
  { belowId }: StackPosition,
): Promise<boolean> {
  if (!belowId) return false;
  const found = await tx.query<LandedHead & { readonly head: string }>(
    `select p.head_sha as head, m.pinned_head as pinned, m.own_commit as own
     from pull_request p join landed_member m on m.account_id = p.account_id and m.pull_request_id = p.id
     where p.account_id = $1 and p.id = $2`,
    [ctx.accountId, belowId],
  );
  return found.some((landed) => isLeftOut(landed.head, landed));
}

/**
 * Whether the base branch is still the branch of a landed pull request. Commits may be pushed to that branch at any time
 * after the landing. If they are brought in, the conversation of this pull request does not show them, and they would
 * land with it.
 */
export async function isBasedOnLanded(
  work: Pick<QueueWork, 'tx' | 'queue'>,
  row: Pick<PullRequestRow, 'baseBranch' | 'belowId' | 'queueId'>,
): Promise<boolean> {
  if (row.baseBranch === work.queue.baseBranch) return false;
  return await isBelowLanded(work.tx, row);
}

/** The landed head of the pull request below. Null: the pull request below has not landed, or there is none. */
export async function readLandedBelow(ctx: Context, row: PullRequestRow): Promise<string | null> {
  const [below] = (
    await ctx.db.transaction(ctx.accountId, async (tx) => await readPullRequestsBelow(ctx, tx, [row]))
  ).values();
  return below?.status === 'merged' ? below.head : null;
}

/** The unmerged pull requests below a pull request in the same queue, the lowest first. */
export async function loadPullRequestsBelow({ tx, queue }: QueueWork, row: PullRequestRow): Promise<PullRequestRow[]> {
  const found: PullRequestRow[] = [];
  for (let id = row.belowId; id && found.length < deepestStack; id = found[0]?.belowId) {
    const below = await tx.em.findOneOrFail(PullRequestEntity, { id });
    if (isTerminal(below.status) || below.queueId !== queue.id) break;
    found.unshift(below);
  }
  return found;
}
