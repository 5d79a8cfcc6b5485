// Lists the tables of the service from PostgreSQL's catalogue.
import type pg from 'pg';

export interface Table {
  readonly name: string;
  /**
   * The columns that are written, in their order. Generated columns are not among them, because PostgreSQL computes
   * them.
   */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Whether row-level security applies to the owner of the table too. */
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

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
