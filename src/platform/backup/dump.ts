// Writes a database into files, from one snapshot, while other connections write. Each table is a gzipped file. Each
// line of the file is a row, as a JSON array of texts. The schema is not in the files. The migrations that the dump
// names make the schema again.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { listTables, quoteIdentifier, type Table } from './tables.ts';

export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

export interface Dump {
  /** Names of the migrations that made the schema, in their order. */
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  /** The last number that each sequence gave out. */
  readonly sequences: readonly { readonly name: string; readonly value: string }[];
}

export interface Snapshot {
  readonly query: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** Writes every table into the folder. */
  dump(folder: string): Promise<Dump>;
  /** Writes the column `row` of a query into a file, each text as a line. Returns the number of lines. */
  writeLines(file: string, text: string): Promise<number>;
}

const rowsAtOnce = 2_000;

/** All queries of `work` see the database as it was at the first one. */
export async function withSnapshot<T>(databaseUrl: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'interlock-backup' });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const result = await work({
      query: async <Row extends object>(text: string, values?: readonly unknown[]) =>
        await readAsSystem<Row>(client, text, values),
      dump: async (folder) => await dump(client, folder),
      writeLines: async (file, text) => {
        await client.query('set local role interlock_system');
        const written = await write(client, text, [createWriteStream(file, { mode: 0o600 })]);
        await client.query('reset role');
        return written;
      },
    });
    await client.query('commit');
    return result;
  } finally {
    await client.end();
  }
}

// Row-level security applies to the owner of the tables too, so the role must change.
async function readAsSystem<Row extends object>(
  client: pg.Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  await client.query('set local role interlock_system');
  const { rows } = await client.query<Row>(text, [...values]);
  await client.query('reset role');
  return rows;
}

async function dump(client: pg.Client, folder: string): Promise<Dump> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { rows: executed } = await client.query<{ name: string }>('select name from mikro_orm_migrations order by id');
  const tables: DumpedTable[] = [];
  for (const table of await listTables(client)) tables.push(await dumpTable(client, table, folder));
  const { rows: sequences } = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = current_schema() and last_value is not null order by 1`,
  );
  return { migrations: executed.map(({ name }) => name), tables, sequences };
}

async function dumpTable(client: pg.Client, table: Table, folder: string): Promise<DumpedTable> {
  const { name, columns } = table;
  const texts = columns.map((column) => `${quoteIdentifier(column.name)}::text`).join(', ');
  if (table.isGuarded) await client.query('set local role interlock_system');
  const text = `select to_json(array[${texts}]::text[])::text as row from ${quoteIdentifier(name)}`;
  const file = createWriteStream(fileOf(folder, name), { mode: 0o600 });
  const rows = await write(client, text, [createGzip(), file]);
  await client.query('reset role');
  return { name, columns: columns.map((column) => column.name), rows };
}

/** Writes the column `row` of a query through these streams, a few rows at a time. Returns the number of rows. */
async function write(client: pg.Client, text: string, streams: readonly NodeJS.WritableStream[]): Promise<number> {
  await client.query(`declare backup no scroll cursor for ${text}`);
  let rows = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for (;;) {
      const fetched = await client.query<{ row: string }>(`fetch ${rowsAtOnce} from backup`);
      if (fetched.rows.length === 0) return;
      rows += fetched.rows.length;
      yield `${fetched.rows.map(({ row }) => row).join('\n')}\n`;
    }
  };
  await pipeline([Readable.from(lines()), ...streams]);
  await client.query('close backup');
  return rows;
}

export function fileOf(folder: string, table: string): string {
  return join(folder, `${table}.jsonl.gz`);
}
