// What PostgreSQL knows of the tables when it plans a statement. Its own autovacuum counts changes to know when to look
// at a table, and each crash sets that count to zero, so that after crashes in a row a table was never looked at. Here
// the size of a table is compared with its size when PostgreSQL last looked, which a crash does not change.
import pg from 'pg';

// Of one installation: several processes look, and one of them analyses.
const statisticsLock = 0x696e746d;

/** PostgreSQL reads smaller tables as a whole, with any plan. */
const leastBytes = 64 * 1024;

// PostgreSQL hides the statistics of a guarded table from an owner that is held by its policies. For such an
// owner the sizes and row counts of `pg_class` decide.
const outgrown = `
select c.oid::regclass::text as name from pg_class c
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and pg_relation_size(c.oid) >= ${leastBytes}
  and (pg_relation_size(c.oid) > 2 * c.relpages::bigint * current_setting('block_size')::bigint
       or c.reltuples < 0
       or not row_security_active(c.oid)
          and not exists (select from pg_stats s where s.schemaname = current_schema() and s.tablename = c.relname))
order by 1`;

/**
 * Analyses tables that were never analysed, or have doubled since. Answers their names. The user of the URL owns them.
 */
export async function refreshStatistics(databaseUrl: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'interlock-statistics' });
  // A connection that breaks fails the statement that is under way.
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
