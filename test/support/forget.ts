import { cutoffOf, readRetention } from '../../src/domain/retention/catalogue.ts';
import type { Database } from '../../src/platform/database.ts';
import { createMetrics } from '../../src/platform/metrics/index.ts';
import { deleteOldRows, type RetentionRule } from '../../src/platform/retention/index.ts';

/** Deletes the rows that are too old by the default retention. Returns their number. */
export async function forget(db: Database, retention: RetentionRule, now = new Date()): Promise<number> {
  const cutoff = cutoffOf(retention.kind, readRetention({}), now) ?? new Date(0);
  return await deleteOldRows({ db, meter: createMetrics().meter }, retention, { cutoff });
}
