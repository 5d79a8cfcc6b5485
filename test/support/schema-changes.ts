// Finds changes of a migration with which the version before it could not run. Both schemas are read from PostgreSQL's
// catalogues, so that the effect of a migration counts, and not its text.
import pg from 'pg';

export interface Schema {
  /** By `table.column`: the properties on which the version before relies. */
  readonly columns: ReadonlyMap<string, Column>;
  /** By `table.constraint`: all that refuses rows. Unique indexes count too. */
  readonly constraints: ReadonlyMap<string, Constraint>;
  /** The signatures of the functions. */
  readonly functions: ReadonlySet<string>;
}

export interface Column {
  readonly type: string;
  readonly isNullable: boolean;
  /** Whether a row that does not name the column gets a value or null. */
  readonly mayBeLeftOut: boolean;
}

export interface Constraint {
  readonly text: string;
  /** Whether every row that leaves out the new columns satisfies the constraint. */
  readonly acceptsRowsOfBefore: boolean;
}

/** `before`: the schema before a migration. Columns that it lacks are new. Left out: no column is new. */
export async function readSchema(client: pg.Client, before?: Schema): Promise<Schema> {
  const { rows: columns } = await client.query<Column & { name: string }>(
    `select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as "isNullable",
       not a.attnotnull or a.atthasdef or a.attidentity <> '' as "mayBeLeftOut"
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'v') and c.relnamespace = current_schema()::regnamespace`,
  );
  const { rows: functions } = await client.query<{ name: string }>(
    'select oid::regprocedure::text as name from pg_proc where pronamespace = current_schema()::regnamespace',
  );
  return {
    columns: new Map(columns.map(({ name, ...column }) => [name, column])),
    constraints: await readConstraints(client, (column) => before !== undefined && !before.columns.has(column)),
    functions: new Set(functions.map(({ name }) => name)),
  };
}

interface ConstraintRow {
  readonly name: string;
  readonly text: string;
  /**
   * Whether a null in one of its columns satisfies the constraint. This holds for foreign keys, for unique keys, and
   * for indexes that treat nulls as distinct.
   */
  readonly acceptsNull: boolean;
  /** The expression of a check. Null: the constraint is not a check. */
  readonly expression: string | null;
  readonly columns: readonly { readonly table: string; readonly name: string; readonly value: string | null }[];
}

async function readConstraints(
  client: pg.Client,
  isNew: (column: string) => boolean,
): Promise<Map<string, Constraint>> {
  // `value`: the value of a row that does not name the column, as SQL. Null: the database computes it from other
  // columns.
  const columnsOf = (table: string, numbers: string): string =>
    `(select coalesce(json_agg(json_build_object('table', c.relname, 'name', a.attname, 'value',
        case when a.attgenerated <> '' then null
          else coalesce('(' || pg_get_expr(d.adbin, d.adrelid) || ')', 'null::' || format_type(a.atttypid, a.atttypmod)) end)), '[]')
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = ${table} and a.attnum = any (${numbers}))`;
  const { rows } = await client.query<ConstraintRow>(
    `select c.relname || '.' || k.conname as name, pg_get_constraintdef(k.oid) as text,
       k.contype = 'f' and k.confmatchtype = 's' as "acceptsNull",
       case when k.contype = 'c' then pg_get_expr(k.conbin, k.conrelid) end as expression,
       ${columnsOf('k.conrelid', 'k.conkey')} as columns
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where k.contype <> 'n' and not (k.contype in ('u', 'p')) and k.connamespace = current_schema()::regnamespace
     union all
     select c.relname || '.' || i.relname, pg_get_indexdef(i.oid), not x.indnullsnotdistinct, null,
       ${columnsOf('x.indrelid', 'x.indkey::int2[]')}
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
     where x.indisunique and i.relnamespace = current_schema()::regnamespace`,
  );
  const constraints = new Map<string, Constraint>();
  for (const row of rows)
    constraints.set(row.name, { text: row.text, acceptsRowsOfBefore: await acceptsRowsOfBefore(client, row, isNew) });
  return constraints;
}

async function acceptsRowsOfBefore(
  client: pg.Client,
  { acceptsNull, expression, columns }: ConstraintRow,
  isNew: (column: string) => boolean,
): Promise<boolean> {
  const fresh = columns.filter(({ table, name }) => isNew(`${table}.${name}`));
  if (acceptsNull && fresh.some(({ value }) => value?.startsWith('null::'))) return true;
  if (expression === null || fresh.length < columns.length || columns.some(({ value }) => value === null)) return false;
  const values = columns.map(({ name, value }) => `${value} as ${pg.escapeIdentifier(name)}`);
  const { rows } = await client.query<{ holds: boolean }>(
    `select (${expression}) is not false as holds from (select ${values.join(', ')}) of_before`,
  );
  return rows[0]?.holds === true;
}

/** Returns a sentence for each change with which the version before could not run. */
export function findBreaking(before: Schema, after: Schema): string[] {
  const tables = new Set([...before.columns.keys()].map(tableOf));
  const gone = [...before.columns].flatMap(([name, column]) => brokenColumn(name, column, after.columns.get(name)));
  const demanded = [...after.columns]
    .filter(([name, { mayBeLeftOut }]) => !before.columns.has(name) && tables.has(tableOf(name)) && !mayBeLeftOut)
    .map(([name]) => `${name} is new, and a row must name it: give it a default, or let it be null.`);
  const tightened = [...after.constraints]
    .filter(([name, { text, acceptsRowsOfBefore }]) => {
      if (!tables.has(tableOf(name)) || acceptsRowsOfBefore) return false;
      const textBefore = before.constraints.get(name)?.text;
      return textBefore !== text && !(textBefore !== undefined && isWidened(textBefore, text));
    })
    .map(([name, { text }]) => `${name} refuses rows that were accepted: ${text}.`);
  const functions = [...before.functions]
    .filter((name) => !after.functions.has(name))
    .map((name) => `The function ${name} is gone.`);
  return [...gone, ...demanded, ...tightened, ...functions];
}

/** The same checks, in which lists of accepted values have more values. */
function isWidened(before: string, after: string): boolean {
  const list = /ARRAY\[([^\]]*)\]/g;
  if (before.replaceAll(list, '') !== after.replaceAll(list, '') || /<> ALL/.test(after)) return false;
  const valuesOf = (text: string): Set<string>[] =>
    [...text.matchAll(list)].map(([, values = '']) => new Set(values.split(', ')));
  const lists = valuesOf(after);
  return valuesOf(before).every((values, index) => [...values].every((value) => lists[index]?.has(value)));
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
