// Events are kept for 400 days. Cursors from before expire.
import type { Database } from '../../platform/database.ts';

const daysKept = 400;
const batchSize = 5_000;

/**
 * Deletes events older than 400 days and returns their number. Only the beginning of an account's log is deleted, so
 * that the rest has no gap. Events without a position stay at any age, because nobody could have followed them.
 */
export async function forgetOldEvents(db: Database, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - daysKept * 24 * 3_600_000);
  const accounts = await db.system.query<{ id: string }>(
    'select account_id::text as id from event_head order by account_id',
  );
  let deletedCount = 0;
  for (const { id } of accounts) {
    for (;;) {
      const deleted = await forgetBatch(db, id, cutoff);
      deletedCount += deleted;
      if (deleted < batchSize) break;
    }
  }
  return deletedCount;
}

async function forgetBatch(db: Database, accountId: string, cutoff: Date): Promise<number> {
  const [row] = await db.system.query<{ deleted: number }>(
    `with beginning as (
       select position, at from event where account_id = $1::bigint and position is not null order by position limit ${batchSize}
     ), kept as (
       select min(position) as position from beginning where at >= $2::timestamptz
     ), deleted as (
       delete from event e using beginning b, kept
       where e.account_id = $1::bigint and e.position = b.position and (kept.position is null or b.position < kept.position)
       returning 1
     )
     select count(*)::int as deleted from deleted`,
    [accountId, cutoff],
  );
  return row?.deleted ?? 0;
}
