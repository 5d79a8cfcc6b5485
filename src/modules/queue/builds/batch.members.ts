import type { Transaction } from '../../../platform/database.ts';
import { BatchMemberEntity, type BatchMemberRow } from '../queue.entities.ts';

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
