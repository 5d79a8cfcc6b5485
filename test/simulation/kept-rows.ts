// The rows that the rules read. Most steps write few tables, so a statement is executed again only after a write to a
// table that it names. Triggers count the writes to each table. The statements are sent together, because a round trip
// for each of them would take longer than their execution.
import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Database } from '../../src/platform/database.ts';

type Query = Database['system']['query'];

export interface KeptRows {
  /**
   * Reads which tables were written, and executes the statements again that the last comparison of this kind needed.
   * Returns a text that changes with every write to any table.
   */
  refresh(kind: Comparison): Promise<string>;
  /** Executes a statement now. PostgreSQL plans each text only once. */
  readonly execute: Query;
  /**
   * The rows of a statement that reads, as of the last `refresh`. The statement must not depend on the time, unless it
   * calls `now()`.
   */
  readonly query: Query;
}

export type Comparison = 'rules' | 'recent' | 'all';

/** Prepares a database for `keepRows`. */
export async function countWrites(owner: pg.Client): Promise<void> {
  // A sequence can be read without a lock on its table, and it also counts the writes of a transaction that fails.
  await owner.query(`
    create schema written;
    create function written.count() returns trigger language plpgsql
      as 'begin perform nextval(tg_argv[0]::oid::regclass); return null; end';
    do $$
    declare
      given record;
    begin
      for given in select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      loop
        execute format('create unlogged sequence written.%I', given.name);
        perform nextval(format('written.%I', given.name));
        execute format('create trigger count_writes after insert or update or delete or truncate on %I
          for each statement execute function written.count(%s)', given.name, format('written.%I', given.name)::regclass::oid);
      end loop;
    end $$;
    grant usage on schema written to public;
    grant usage, select on all sequences in schema written to public;
  `);
}

interface Kept {
  readonly text: string;
  readonly values: readonly unknown[];
  /** How often the tables had been written that the statement names. */
  writes: string;
  rows: readonly object[];
}

const readsTheTime = /\b(now|clock_timestamp) *\(/;

/** `client`: a session in pipeline mode. Nothing may write while rules are compared. */
export async function keepRows(client: pg.Client): Promise<KeptRows> {
  const sequences = await client.query<{ name: string }>(
    "select sequencename as name from pg_sequences where schemaname = 'written' order by 1",
  );
  const tables = new Map(sequences.rows.map(({ name }, at) => [name, at]));
  const readWrites = `select array[${[...tables.keys()].map((name) => `pg_sequence_last_value('written."${name}"')`).join(', ')}]::text[] as writes`;
  const statements = new Map<string, { readonly name: string; readonly tables: readonly number[] }>();
  const kept = new Map<string, Kept>();
  const needed = { rules: new Set<Kept>(), recent: new Set<Kept>(), all: new Set<Kept>() };
  let present: Comparison = 'rules';
  let writes: readonly string[] = [];

  /** Every name of a table in the text counts, also one that names something else there. */
  function statementOf(text: string): { readonly name: string; readonly tables: readonly number[] } {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const found = [...new Set(text.match(/\w+/g))].flatMap((word) => tables.get(word) ?? []);
    const statement = { name: createHash('sha1').update(text).digest('hex'), tables: found };
    statements.set(text, statement);
    return statement;
  }

  const writesOf = (text: string): string =>
    statementOf(text)
      .tables.map((at) => writes[at])
      .join(' ');

  async function execute<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await client.query<Row>({ name: statementOf(text).name, text, values: [...values] })).rows;
  }

  async function update(one: Kept): Promise<void> {
    const now = writesOf(one.text);
    if (one.writes === now) return;
    Object.assign(one, { writes: now, rows: await execute(one.text, one.values) });
  }

  return {
    execute,
    async refresh(kind) {
      present = kind;
      writes = (await execute<{ readonly writes: readonly string[] }>(readWrites))[0]?.writes ?? [];
      await Promise.all([...needed[kind]].map(update));
      return writes.join(' ');
    },
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      if (readsTheTime.test(text)) return await execute<Row>(text, values);
      const key = `${text} ${JSON.stringify(values)}`;
      const one = kept.get(key) ?? { text, values, writes: 'never', rows: [] };
      kept.set(key, one);
      needed[present].add(one);
      await update(one);
      return [...one.rows] as Row[];
    },
  };
}
