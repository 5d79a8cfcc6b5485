// What pull requests and queues were before is kept as long as the log that tells what happened to them.
import type { Database } from '../../../platform/database.ts';

const daysKept = 400;
const batchSize = 5_000;

/** Answers how many versions were forgotten. */
export async function forgetOldVersions(db: Database, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - daysKept * 24 * 3_600_000).toISOString();
  let forgotten = 0;
  for (const table of ['pull_request_past', 'queue_past']) {
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
