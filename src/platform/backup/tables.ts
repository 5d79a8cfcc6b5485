// The tables of the service, as PostgreSQL knows them.
import type pg from 'pg';

export interface Table {
  readonly name: string;
  /** The written columns, in their order. PostgreSQL computes generated columns from them. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Row-level security holds for its owner too. */
  readonly isGuarded: boolean;
}

/** All tables except the list of migrations. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, c.relforcerowsecurity as "isGuarded",
       json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and c.relname <> 'mikro_orm_migrations'
     group by c.oid order by c.relname`,
  );
  return rows;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
