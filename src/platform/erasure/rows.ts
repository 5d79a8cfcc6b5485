// Deletes and counts the rows of an owner. Rows are deleted in small pieces, each in a transaction of its own.
import type { SystemQueries } from '../database.ts';
import type { Catalogue, CatalogueTable, ForeignKey, OwnedRows, Ownership } from './ownership.ts';

type Query = SystemQueries['query'];

const atOnce = 2_000;

/** Reads the tables of the service and their foreign keys from PostgreSQL's catalogue. */
export async function readCatalogue(query: Query): Promise<Catalogue> {
  const tables = await query<CatalogueTable>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
       coalesce(array_agg(a.attname::text) filter (where not a.attnotnull), '{}') as nullable
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' group by c.oid order by c.relname`,
  );
  const foreignKeys = await query<ForeignKey>(
    `select c.relname as table, p.relname as parent,
       (select array_agg(a.attname::text order by k.ord) from unnest(x.conkey) with ordinality k (num, ord)
        join pg_attribute a on a.attrelid = x.conrelid and a.attnum = k.num) as columns,
       (select array_agg(a.attname::text order by k.ord) from unnest(x.confkey) with ordinality k (num, ord)
        join pg_attribute a on a.attrelid = x.confrelid and a.attnum = k.num) as "parentColumns"
     from pg_constraint x join pg_class c on c.oid = x.conrelid join pg_class p on p.oid = x.confrelid
     where x.contype = 'f' and x.connamespace = current_schema()::regnamespace order by x.conname, c.relname`,
  );
  return { tables, foreignKeys };
}

/** Reads the binary columns of each table, also those with lists of binary values, by the name of the table. */
export async function readBinaryColumns(query: Query): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await query<{ table: string; columns: readonly string[] }>(
    `select table_name as table, array_agg(column_name::text order by column_name) as columns
     from information_schema.columns where table_schema = current_schema() and udt_name in ('bytea', '_bytea') group by table_name`,
  );
  return new Map(found.map(({ table, columns }) => [table, columns]));
}

const maxRounds = 5;

/**
 * Deletes the owned rows. `values`: the id of the account, and that of the repository if a repository is erased. Safe
 * to repeat.
 */
export async function eraseRows(query: Query, ownership: Ownership, values: readonly string[]): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      await eraseOnce(query, ownership, values);
      return;
    } catch (error) {
      // Another process, such as a count of events, inserted a row after the rows of its table were deleted.
      const isReferred = (error as { readonly code?: string }).code === '23503';
      if (!isReferred || round === maxRounds) throw error;
    }
  }
}

async function eraseOnce(query: Query, { unlinked, owned }: Ownership, values: readonly string[]): Promise<void> {
  for (const rows of unlinked)
    await inPieces(query, rows, {
      values,
      statement: (chosen) => `update ${rows.table} t set ${rows.column} = null where ${chosen}`,
    });
  for (const rows of owned)
    await inPieces(query, rows, { values, statement: (chosen) => `delete from ${rows.table} t where ${chosen}` });
}

async function inPieces(
  query: Query,
  rows: OwnedRows & { readonly column?: string; readonly leaf?: string },
  { values, statement }: { readonly values: readonly string[]; readonly statement: (chosen: string) => string },
): Promise<void> {
  const also = rows.column === undefined ? (rows.leaf ?? 'true') : `t.${rows.column} is not null`;
  const where = `${rows.where} and ${also}`;
  const some = `select t.ctid from ${rows.table} t where ${where}`;
  // A row that another process changes meanwhile is passed over.
  while ((await query(`${some} limit 1`, values)).length > 0)
    await query(statement(`t.ctid = any(array(${some} limit ${atOnce}))`), values);
}

/** Counts the owned rows of each table. Tables without such rows are left out. */
export async function countRows(
  query: Query,
  { owned }: Ownership,
  values: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, where } of owned) {
    const [row] = await query<{ count: number }>(
      `select count(*)::int as count from ${table} t where ${where}`,
      values,
    );
    if (row !== undefined && row.count > 0) counts.set(table, (counts.get(table) ?? 0) + row.count);
  }
  return counts;
}
