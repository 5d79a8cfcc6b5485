import type { Transaction } from '../../../platform/database.ts';
import {
  BatchAssumptionEntity,
  BatchMemberEntity,
  type BatchAssumptionRow,
  type BatchMemberRow,
} from '../queue.entities.ts';

/** In queue order, by batch. */
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

/** What bets assume, in queue order, by batch. */
export async function loadAssumed(
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
