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

/** The members of each batch in queue order, by batch id. */
export async function loadMembers(
  tx: Transaction,
  batchIds: readonly string[],
): Promise<Map<string, BatchMemberRow[]>> {
  const members = new Map<string, BatchMemberRow[]>(batchIds.map((id) => [id, []]));
  if (batchIds.length === 0) return members;
  for (const row of await tx.em.find(
    BatchMemberEntity,
    { batchId: { $in: [...batchIds] } },
    { orderBy: { ordinal: 'asc' } },
  ))
    members.get(row.batchId)?.push(row);
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
