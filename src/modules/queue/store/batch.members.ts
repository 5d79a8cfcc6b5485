// Reads the members of batches, and the pull requests that speculative builds assume.
import type { Context } from '../../../context.ts';
import type { PinnedHead } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import {
  BatchAssumptionEntity,
  BatchMemberEntity,
  type BatchAssumptionRow,
  type BatchMemberRow,
} from './queue.entities.ts';

/** What a plan needs of a member. */
export type PlannedMember = Pick<BatchMemberRow, 'batchId' | 'pullRequestId' | 'pinnedHead'>;

/** The members of the live batches of a queue in queue order, by batch id. */
export async function readLiveMembers(
  ctx: Context,
  tx: Transaction,
  queueId: string,
): Promise<ReadonlyMap<string, readonly PlannedMember[]>> {
  const rows = await tx.query<PlannedMember>(
    `select m.batch_id as "batchId", m.pull_request_id as "pullRequestId", m.pinned_head as "pinnedHead"
     from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
     where b.account_id = $1 and b.queue_id = $2 and b.state in ('making', 'building', 'landing') order by m.ordinal`,
    [ctx.accountId, queueId],
  );
  return Map.groupBy(rows, ({ batchId }) => batchId);
}

/** The members of each batch in queue order, by batch id. */
export async function loadMembers(
  tx: Transaction,
  batchIds: readonly string[],
): Promise<Map<string, BatchMemberRow[]>> {
  const members = new Map<string, BatchMemberRow[]>(batchIds.map((id) => [id, []]));
  if (batchIds.length === 0) return members;
  const inOrder = { column: 'batch_id', ids: batchIds, orderBy: 'ordinal' };
  for (const row of await tx.loadAll(BatchMemberEntity, inOrder)) members.get(row.batchId)?.push(row);
  return members;
}

/**
 * The pull requests that speculative builds assume, in queue order, by batch id. Reads only the columns that the
 * planner needs, because there may be many rows.
 */
export async function readAssumedHeads(
  ctx: Context,
  tx: Transaction,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PinnedHead[]>> {
  if (batchIds.length === 0) return new Map();
  const rows = await tx.query<{ batch: string; ids: string[]; heads: string[] }>(
    `select batch_id as batch, array_agg(pull_request_id::text order by ordinal) as ids, array_agg(pinned_head order by ordinal) as heads
     from batch_assumption where account_id = $1 and batch_id = any($2::bigint[]) group by batch_id`,
    [ctx.accountId, batchIds],
  );
  return new Map(
    rows.map(({ batch, ids, heads }) => [
      batch,
      ids.map((pullRequest, at) => ({ pullRequest, head: heads[at] ?? '' })),
    ]),
  );
}

/**
 * The pull requests that speculative builds assume, with all columns that composing a commit needs, in queue order, by
 * batch id.
 */
export async function loadAssumedRows(
  tx: Transaction,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly BatchAssumptionRow[]>> {
  if (batchIds.length === 0) return new Map();
  const rows = await tx.em.find(
    BatchAssumptionEntity,
    { batchId: { $in: [...batchIds] } },
    { orderBy: { ordinal: 'asc' } },
  );
  return Map.groupBy(rows, (row) => row.batchId);
}
