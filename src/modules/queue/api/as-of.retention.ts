// What pull requests and queues were before is kept as long as the log that tells what happened to them; what pull
// requests affected, which may be much, for a month.
import type { Database } from '../../../platform/database.ts';

const daysKept = { pull_request_past: 400, queue_past: 400, pull_request_targets_past: 30 } as const;
const batchSize = 5_000;

/** Answers how many versions were forgotten. */
export async function forgetOldVersions(db: Database, now: Date): Promise<number> {
  let forgotten = 0;
  for (const [table, days] of Object.entries(daysKept)) {
    const cutoff = new Date(now.getTime() - days * 24 * 3_600_000).toISOString();
    for (;;) {
      const deleted = await db.system.query(
        `delete from ${table} where ctid = any(array(select ctid from ${table} where until_at < $1 limit ${batchSize})) returning 1`,
        [cutoff],
      );
      forgotten += deleted.length;
      if (deleted.length < batchSize) break;
    }
  }
  return forgotten;
}
