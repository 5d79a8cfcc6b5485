// Databases that the tests of a process use one after the other. To copy a new database, and to plan every statement
// again in new sessions, would cost more than most tests.
import pg from 'pg';
import { inject } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

/** All rows of a database, by table, and the values of its sequences. Only PostgreSQL writes and reads this text. */
export type DatabaseState = string;

export interface KeptDatabase {
  /** The URL for the owner of the tables. */
  readonly url: string;
  /** Its connections. To close them ends only their use by this test: they stay open for the next test. */
  readonly database: Database;
  /** Gives the database to the next test, unless this test left something behind. A second call has no effect. */
  drop(): Promise<void>;
}

/** A new database with this state, and with sessions and statistics of its own. */
export async function makeDatabase(state: DatabaseState): Promise<TestDatabase> {
  const own = await createTestDatabase();
  const owner = new pg.Client({ connectionString: own.url });
  await owner.connect();
  try {
    await prepareRestore(owner);
    await restoreState(owner, state);
  } finally {
    await owner.end();
  }
  return own;
}

interface Kept {
  readonly own: TestDatabase;
  readonly owner: pg.Client;
  readonly database: Database;
  readonly shape: string;
}

// Each kept database has up to 17 sessions.
const maxKept = 2;
const kept: Kept[] = [];

/** A migrated database with this state. Without a state it has no rows. */
export async function takeDatabase(state: DatabaseState = inject('postgres').empty): Promise<KeptDatabase> {
  const taken = kept.pop() ?? (await makeKept());
  await restoreState(taken.owner, state);
  const database = closable(taken.database);
  const giveBack = async (): Promise<void> => {
    await database.close();
    if ((await isAsMade(taken)) && kept.length < maxKept) kept.push(taken);
    else await dropKept(taken);
  };
  let dropped: Promise<void> | null = null;
  return {
    url: taken.own.url,
    database,
    drop: async () => await (dropped ??= giveBack()),
  };
}

async function makeKept(): Promise<Kept> {
  const own = await createTestDatabase();
  const owner = new pg.Client({ connectionString: own.url });
  // An idle session reports an error when it is ended with its database.
  owner.on('error', () => {});
  await owner.connect();
  await prepareRestore(owner);
  const database = await connectDatabase({ url: own.url, entities, poolSize: 6, onError: () => {} });
  return { own, owner, database, shape: await shapeOf(owner) };
}

async function dropKept({ own, owner, database }: Kept): Promise<void> {
  await Promise.allSettled([owner.end(), database.close()]);
  await own.drop();
}

/**
 * Whether no other session is connected, no transaction is open, no lock is held, and tables, triggers and policies are
 * unchanged.
 */
async function isAsMade({ owner, database, shape }: Kept): Promise<boolean> {
  const deadline = performance.now() + 500;
  const isBusy = (): boolean => database.pools().some(({ busy, waiting }) => busy + waiting > 0);
  while (isBusy()) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  try {
    const [row] = (
      await owner.query<{ sessions: number; locks: number }>(
        `select (select count(*)::int from pg_stat_activity where datid = d.oid and backend_type = 'client backend') as sessions,
           (select count(*)::int from pg_locks where database = d.oid and locktype = 'advisory') as locks
         from pg_database d where d.datname = current_database()`,
      )
    ).rows;
    const own = database.pools().reduce((sum, { busy, idle }) => sum + busy + idle, 1);
    return row?.sessions === own && row.locks === 0 && (await shapeOf(owner)) === shape;
  } catch {
    return false;
  }
}

/**
 * A text that changes with every statement that changes the schema or the settings of sessions. It does not depend on
 * rows and statistics.
 */
async function shapeOf(owner: pg.Client): Promise<string> {
  const catalogs = ['pg_class', 'pg_trigger', 'pg_policy', 'pg_attrdef', 'pg_constraint', 'pg_proc', 'pg_type'];
  const parts = [
    ...catalogs.map((name) => `(select count(*) || '/' || max(xmin::text::bigint) from ${name})`),
    `(select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database())`,
  ];
  const [row] = (await owner.query<{ shape: string }>(`select concat_ws(' ', ${parts.join(', ')}) as shape`)).rows;
  return row?.shape ?? '';
}

/** Works like `database` until it is closed. Closing leaves the connections of `database` open. */
export function closable(database: Database): Database {
  let isClosed = false;
  const open = (): Database => {
    if (isClosed) throw new Error('The connections to the database are closed.');
    return database;
  };
  return {
    transaction: async (accountId, work, options) => await open().transaction(accountId, work, options),
    read: async (accountId, statement) => await open().read(accountId, statement),
    load: async (accountId, entity, id) => await open().load(accountId, entity, id),
    loadAll: async (accountId, entity, by) => await open().loadAll(accountId, entity, by),
    loadMany: async (accountId, entity, ids) => await open().loadMany(accountId, entity, ids),
    system: {
      query: async (text, values) => await open().system.query(text, values),
      transaction: async (work) => await open().system.transaction(work),
      listen: async (channel, onMessage) => await open().system.listen(channel, onMessage),
      holdLock: async (group, number) => await open().system.holdLock(group, number),
    },
    pools: () => database.pools(),
    close: async () => void (isClosed = true),
  };
}

/** Reads the state that `restoreState` restores. No other session may write meanwhile. */
export async function readState(url: string): Promise<DatabaseState> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const rows = await client.query<{ name: string; columns: string; text: string }>(listTables);
    const texts: string[] = [];
    for (const { name, columns } of rows.rows) {
      const [found] = (await client.query<{ text: string | null }>(`select json_agg(t)::text as text from "${name}" t`))
        .rows;
      if (found !== undefined && found.text !== null)
        texts.push(JSON.stringify([name, columns]).slice(0, -1) + `,${found.text}]`);
    }
    const sequences = await client.query<{ name: string; last: string | null }>(
      "select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value::text as last from pg_sequences",
    );
    const stands = sequences.rows.map(({ name, last }) => JSON.stringify([name, last]));
    return `{"tables":[${texts.join(',')}],"sequences":[${stands.join(',')}]}`;
  } finally {
    await client.end();
  }
}

const listTables = `
  select c.relname as name,
    (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`;

/** Prepares a session for `restoreState`. */
export async function prepareRestore(owner: pg.Client): Promise<void> {
  const tables = await owner.query<{ name: string }>(listTables);
  // A temporary function plans its statements once for each session.
  await owner.query(`
    create function pg_temp.restore(state json) returns void language plpgsql as $body$
    declare
      given json;
    begin
      ${tables.rows.map(({ name }) => `delete from "${name}";`).join(' ')}
      for given in select value from json_array_elements(state -> 'tables') loop
        execute format('insert into %I (%s) overriding system value select %s from json_populate_recordset(null::%I, $1)',
          given ->> 0, given ->> 1, given ->> 1, given ->> 0) using given -> 2;
      end loop;
      perform setval((value ->> 0)::regclass, coalesce((value ->> 1)::bigint, 1), value ->> 1 is not null)
        from json_array_elements(state -> 'sequences');
    end $body$`);
  // Constraints and foreign keys were checked when the rows were first written.
  await owner.query('set session_replication_role = replica');
}

/** Replaces all rows of the database, and the values of its sequences, by those in `state`. */
export async function restoreState(owner: pg.Client, state: DatabaseState): Promise<void> {
  await owner.query('select pg_temp.restore($1::json)', [state]);
}
