// What an agent did and said is kept for 90 days. Runbooks, their steps and their commits stay: they say where a change
// came from.
import type { Database } from '../../platform/database.ts';

const daysKept = 90;
const batchSize = 5_000;

/** Answers how many rows were forgotten. */
export async function forgetOldRunbooks({ system }: Database, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - daysKept * 24 * 3_600_000).toISOString();
  const logs = await forgetInPieces(system, { table: 'runbook_log', at: 'at', cutoff });
  const calls = await forgetInPieces(system, { table: 'runbook_tool_call', at: 'ended_at', cutoff });
  return logs + calls;
}

// The oldest rows have the least ids: a turn looks at no more than it forgets.
async function forgetInPieces(
  system: Database['system'],
  { table, at, cutoff }: { readonly table: string; readonly at: string; readonly cutoff: string },
): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const deleted = await system.query(
      `delete from ${table} where id = any(array(
         select id from (select id, ${at} as at from ${table} order by id limit ${batchSize}) oldest where at < $1))
       returning 1`,
      [cutoff],
    );
    forgotten += deleted.length;
    if (deleted.length < batchSize) return forgotten;
  }
}
