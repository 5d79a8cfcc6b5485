// Loads the files that dump.ts wrote into a database with the same schema, in one transaction.
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { fileOf, type Dump, type DumpedTable } from './dump.ts';
import { listTables, quoteIdentifier, type Table } from './tables.ts';

const rowsAtOnce = 500;
const charactersAtOnce = 8 * 1024 * 1024;

interface ForeignKey {
  readonly table: string;
  readonly name: string;
}

/**
 * Deletes all rows of the database first. The caller ensures that the database has only the rows that migrations wrote.
 */
export async function loadDump(databaseUrl: string, dump: Dump, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'interlock-restore' });
  await client.connect();
  try {
    await client.query('begin');
    const tables = await listTables(client);
    const keys = await listForeignKeys(client);
    await suspendConstraints(client, tables, keys);
    await client.query(`truncate ${tables.map(({ name }) => quoteIdentifier(name)).join(', ')}`);
    for (const dumped of dump.tables) await loadTable(client, { dumped, table: tableOf(tables, dumped), folder });
    for (const { name, value } of dump.sequences)
      await client.query('select setval($1::regclass, $2::bigint)', [quoteIdentifier(name), value]);
    await client.query('set constraints all immediate');
    await restoreConstraints(client, tables, keys);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

function tableOf(tables: readonly Table[], { name, columns }: DumpedTable): Table {
  const table = tables.find((each) => each.name === name);
  if (table === undefined || columns.some((column) => table.columns.every((each) => each.name !== column)))
    throw new Error(`The schema that the backup names has no table ${name} with the columns ${columns.join(', ')}.`);
  return table;
}

async function listForeignKeys(client: pg.Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select r.relname as table, c.conname as name from pg_constraint c
     join pg_class r on r.oid = c.conrelid
     where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and not c.condeferrable`,
  );
  return rows;
}

// Triggers are disabled, because they ran when the rows were first written. Foreign keys are checked at the end,
// because tables refer to each other.
async function suspendConstraints(
  client: pg.Client,
  tables: readonly Table[],
  keys: readonly ForeignKey[],
): Promise<void> {
  for (const { name, isGuarded } of tables) {
    await client.query(`alter table ${quoteIdentifier(name)} disable trigger user`);
    if (isGuarded) await client.query(`alter table ${quoteIdentifier(name)} no force row level security`);
  }
  for (const { table, name } of keys)
    await client.query(
      `alter table ${quoteIdentifier(table)} alter constraint ${quoteIdentifier(name)} deferrable initially deferred`,
    );
}

async function restoreConstraints(
  client: pg.Client,
  tables: readonly Table[],
  keys: readonly ForeignKey[],
): Promise<void> {
  for (const { table, name } of keys)
    await client.query(
      `alter table ${quoteIdentifier(table)} alter constraint ${quoteIdentifier(name)} not deferrable`,
    );
  for (const { name, isGuarded } of tables) {
    await client.query(`alter table ${quoteIdentifier(name)} enable trigger user`);
    if (isGuarded) await client.query(`alter table ${quoteIdentifier(name)} force row level security`);
  }
}

async function loadTable(
  client: pg.Client,
  { dumped, table, folder }: { readonly dumped: DumpedTable; readonly table: Table; readonly folder: string },
): Promise<void> {
  const typeOf = new Map(table.columns.map(({ name, type }) => [name, type]));
  const values = dumped.columns.map((column, at) => `(r ->> ${at})::${typeOf.get(column)}`).join(', ');
  const statement = `insert into ${quoteIdentifier(dumped.name)} (${dumped.columns.map(quoteIdentifier).join(', ')})
    overriding system value select ${values} from unnest($1::json[]) r`;
  let rows = 0;
  const write = async (lines: readonly string[]): Promise<void> => {
    if (lines.length > 0) await client.query(statement, [lines]);
    rows += lines.length;
  };
  for await (const lines of batchesOf(fileOf(folder, dumped.name))) await write(lines);
  if (rows !== dumped.rows)
    throw new Error(`The backup has ${rows} rows of ${dumped.name}, and says that it has ${dumped.rows}.`);
}

async function* batchesOf(file: string): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let characters = 0;
  for await (const line of linesOf(file)) {
    batch.push(line);
    characters += line.length;
    if (batch.length < rowsAtOnce && characters < charactersAtOnce) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  yield batch;
}

// Rejected: node:readline, which also ends a line at U+2028 and U+2029. JSON has these characters inside texts.
async function* linesOf(file: string): AsyncGenerator<string> {
  const chunks = pipeline(createReadStream(file), createGunzip(), () => {}).setEncoding('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const [first = '', ...others] = String(chunk).split('\n');
    rest += first;
    for (const line of others) {
      yield rest;
      rest = line;
    }
  }
  if (rest !== '') yield rest;
}
