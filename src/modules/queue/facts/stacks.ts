// Rows of stacked pull requests: the one below, and the effect on admission and on the commit.
import type { Context } from '../../../context.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import { deepestStack, waitsForBelow } from '../../../domain/queue/requests/stacks.ts';
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
  /** The head that landed, once it has. */
  readonly head: string;
}

/** The pull requests below these, by id. Flush before the call: it reads the database past the unit of work. */
export async function readBelow(
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

/** The pull request that must be before it in line. Null: it is not stacked, or the one below is merged. */
export function openBelow(
  below: ReadonlyMap<string, PullRequestBelow>,
  belowId: string | null | undefined,
): string | null {
  if (!belowId || below.get(belowId)?.status === 'merged') return null;
  return belowId;
}

/** Why it cannot be in line. Null: the one below is in line or merged, or there is none. */
export function obstacleBelow(
  below: ReadonlyMap<string, Pick<PullRequestBelow, 'number' | 'status'>>,
  belowId: string | null | undefined,
): string | null {
  const found = belowId ? below.get(belowId) : undefined;
  if (found === undefined || isQueued(found.status) || found.status === 'merged') return null;
  return waitsForBelow(found);
}

/** Its base branch is the head of another pull request, and it is in the queue of the branch at the bottom. */
export function isInStack(configuration: Configuration, { belowId }: StackPosition): boolean {
  return configuration.merge_rules.auto_detect_stacks && Boolean(belowId);
}

/** The landed head below it, while its own branch does not contain the landed commit. */
export async function readLandedBelow(ctx: Context, row: PullRequestRow): Promise<string | null> {
  const [below] = (await ctx.db.transaction(ctx.accountId, async (tx) => await readBelow(ctx, tx, [row]))).values();
  return below?.status === 'merged' ? below.head : null;
}

/** The unmerged pull requests below it, the lowest first. */
export async function loadBelow({ tx, queue }: QueueWork, row: PullRequestRow): Promise<PullRequestRow[]> {
  const found: PullRequestRow[] = [];
  for (let id = row.belowId; id && found.length < deepestStack; id = found[0]?.belowId) {
    const below = await tx.em.findOneOrFail(PullRequestEntity, { id });
    if (isTerminal(below.status) || below.queueId !== queue.id) break;
    found.unshift(below);
  }
  return found;
}
