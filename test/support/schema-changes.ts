// What a migration takes from the version before it. Both schemas are read from PostgreSQL's catalogues, so a change
// counts by what it did and not by how it was written.
import type pg from 'pg';

export interface Schema {
  /** `table.column`, and what the version before relies on. */
  readonly columns: ReadonlyMap<string, Column>;
  /** `table.constraint`, indexes that refuse duplicates among them: what refuses rows. */
  readonly constraints: ReadonlyMap<string, string>;
  /** Signatures. */
  readonly functions: ReadonlySet<string>;
}

export interface Column {
  readonly type: string;
  readonly isNullable: boolean;
  /** A row that does not name it gets a value, or null. */
  readonly mayBeLeftOut: boolean;
}

export async function readSchema(client: pg.Client): Promise<Schema> {
  const { rows: columns } = await client.query<Column & { name: string }>(
    `select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as "isNullable",
       not a.attnotnull or a.atthasdef or a.attidentity <> '' as "mayBeLeftOut"
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'v') and c.relnamespace = current_schema()::regnamespace`,
  );
  const { rows: constraints } = await client.query<{ name: string; text: string }>(
    `select c.relname || '.' || k.conname as name, pg_get_constraintdef(k.oid) as text
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where k.contype <> 'n' and k.connamespace = current_schema()::regnamespace
     union select t.relname || '.' || i.relname, pg_get_indexdef(i.oid)
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where x.indisunique and i.relnamespace = current_schema()::regnamespace`,
  );
  const { rows: functions } = await client.query<{ name: string }>(
    'select oid::regprocedure::text as name from pg_proc where pronamespace = current_schema()::regnamespace',
  );
  return {
    columns: new Map(columns.map(({ name, ...column }) => [name, column])),
    constraints: new Map(constraints.map(({ name, text }) => [name, text])),
    functions: new Set(functions.map(({ name }) => name)),
  };
}

/** One sentence for each change with which the version before could not run. */
export function findBreaking(before: Schema, after: Schema): string[] {
  const tables = new Set([...before.columns.keys()].map(tableOf));
  const gone = [...before.columns].flatMap(([name, column]) => brokenColumn(name, column, after.columns.get(name)));
  const demanded = [...after.columns]
    .filter(([name, { mayBeLeftOut }]) => !before.columns.has(name) && tables.has(tableOf(name)) && !mayBeLeftOut)
    .map(([name]) => `${name} is new, and a row must name it: give it a default, or let it be null.`);
  const tightened = [...after.constraints]
    .filter(([name, text]) => tables.has(tableOf(name)) && before.constraints.get(name) !== text)
    .map(([name, text]) => `${name} refuses rows that were accepted: ${text}.`);
  const functions = [...before.functions]
    .filter((name) => !after.functions.has(name))
    .map((name) => `The function ${name} is gone.`);
  return [...gone, ...demanded, ...tightened, ...functions];
}

function tableOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

function brokenColumn(name: string, before: Column, after: Column | undefined): string[] {
  if (after === undefined) return [`${name} is gone.`];
  if (after.type !== before.type) return [`${name} was ${before.type}, and is ${after.type}.`];
  if (before.isNullable && !after.isNullable) return [`${name} was null in some rows, and must not be null.`];
  if (before.mayBeLeftOut && !after.mayBeLeftOut) return [`${name} had a default, and has none.`];
  return [];
}
