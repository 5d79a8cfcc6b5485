// What a deployment or a build wrote is kept for 90 days after its end, and a freeze that has ended as long as the log that tells of
// it. Deployments themselves stay: what runs somewhere, and what a rollback goes back to, is read from them.
import type { Database } from '../../platform/database.ts';

const logDaysKept = 90;
const freezeDaysKept = 400;
const batchSize = 5_000;

/** Returns how many rows were forgotten. Nothing more comes for a deployment in `unknown`: it counts as ended. */
export async function forgetOldReleases(db: Database, now: Date): Promise<number> {
  const logs = await forgetInPieces(
    db,
    `delete from deployment_log where id = any(array(
       select l.id from deployment_log l join deployment d on d.account_id = l.account_id and d.id = l.deployment_id
       where d.status in ('success', 'failure', 'canceled', 'error', 'unknown')
         and greatest(d.deploy_end_at, d.status_at) < $1 limit ${batchSize})) returning 1`,
    daysBefore(now, logDaysKept),
  );
  const buildLogs = await forgetInPieces(
    db,
    `delete from deployment_log where id = any(array(
       select l.id from deployment_log l join release_candidate c on c.account_id = l.account_id and c.id = l.candidate_id
       where c.status <> 'building' and coalesce(c.ended_at, c.created_at) < $1 limit ${batchSize})) returning 1`,
    daysBefore(now, logDaysKept),
  );
  const freezes = await forgetInPieces(
    db,
    `delete from freeze_rule where id = any(array(
       select id from freeze_rule where deleted_at < $1 or ends_at < $1 limit ${batchSize})) returning 1`,
    daysBefore(now, freezeDaysKept),
  );
  return logs + buildLogs + freezes;
}

async function forgetInPieces({ system }: Database, text: string, cutoff: string): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const deleted = await system.query(text, [cutoff]);
    forgotten += deleted.length;
    if (deleted.length < batchSize) return forgotten;
  }
}

function daysBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * 24 * 3_600_000).toISOString();
}
