// What a verification wrote is kept for 90 days after its end, and a registration that nothing drove as long. What was
// judged stays: it is why something landed.
import type { Database } from '../../platform/database.ts';

const daysKept = 90;
const batchSize = 5_000;

const forgettings = [
  `delete from verification_log where id = any(array(
     select l.id from verification_log l join verification v on v.account_id = l.account_id and v.id = l.verification_id
     where v.ended_at < $1 limit ${batchSize})) returning 1`,
  `delete from preview_registration where id = any(array(
     select r.id from preview_registration r where r.ended_at < $1
       and not exists (select from verification v where v.account_id = r.account_id and v.registration_id = r.id)
     limit ${batchSize})) returning 1`,
] as const;

/** Answers how many rows were forgotten. */
export async function forgetOldPreviews({ system }: Database, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - daysKept * 24 * 3_600_000).toISOString();
  let forgotten = 0;
  for (const text of forgettings) {
    for (;;) {
      const deleted = await system.query(text, [cutoff]);
      forgotten += deleted.length;
      if (deleted.length < batchSize) break;
    }
  }
  return forgotten;
}
