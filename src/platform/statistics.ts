// Refreshes the statistics that PostgreSQL plans statements with. PostgreSQL's autovacuum analyses a table after a
// number of changes, but each crash resets this number to zero. After several crashes, a table may never have been
// analysed. Here the size of a table is compared with its size at the last analysis, which a crash does not reset.
import pg from 'pg';
import { reachable } from './database/silence.ts';

// The advisory lock, so that only one process of an installation analyses at a time.
const statisticsLock = 0x696e746d;

/** Smaller tables are skipped, because PostgreSQL reads them as a whole with any plan. */
const minBytes = 64 * 1024;

// Tables that have outgrown their statistics. `pg_stats` hides the statistics of tables whose row-level security
// applies to the present user. For such tables only the sizes and row counts in `pg_class` decide.
const outgrown = `
select c.oid::regclass::text as name from pg_class c
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and pg_relation_size(c.oid) >= ${minBytes}
  and (pg_relation_size(c.oid) > 2 * c.relpages::bigint * current_setting('block_size')::bigint
       or c.reltuples < 0
       or not row_security_active(c.oid)
          and not exists (select from pg_stats s where s.schemaname = current_schema() and s.tablename = c.relname))
order by 1`;

/**
 * Analyses tables that were never analysed, or have doubled in size since the last analysis. Returns their names. The
 * user of the URL must own the tables.
 */
export async function refreshStatistics(databaseUrl: string): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'interlock-statistics',
    ...reachable(),
  });
  // If the connection breaks, the running statement fails, so this event can be ignored.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(outgrown);
    if (tables.length === 0) return [];
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      statisticsLock,
    ]);
    if (rows[0]?.taken !== true) return [];
    for (const { name } of tables) await client.query(`analyze (skip_locked) ${name}`);
    return tables.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
