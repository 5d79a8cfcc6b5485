// Deliveries are listed for 30 days. A deleted endpoint is removed when none of its deliveries is listed any more.
import type { Database } from '../../platform/database.ts';

const daysKept = 30;
const batchSize = 5_000;

/** Returns the number of deleted deliveries. An open delivery stays, because its schedule is shorter than that. */
export async function forgetOldDeliveries(db: Database, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - daysKept * 24 * 3_600_000).toISOString();
  let deletedCount = 0;
  for (;;) {
    const deleted = await db.system.query(
      `delete from webhook_delivery where id in (
         select d.id from webhook_delivery d join webhook_endpoint e on e.account_id = d.account_id and e.id = d.endpoint_id
         where (d.created_at < $1 and d.state not in ('pending', 'retrying')) or e.deleted_at is not null limit ${batchSize})
       returning id`,
      [cutoff],
    );
    deletedCount += deleted.length;
    if (deleted.length < batchSize) break;
  }
  await db.system.query('delete from webhook_endpoint where deleted_at is not null');
  return deletedCount;
}
