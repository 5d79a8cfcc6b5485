// PostgreSQL. Three ways in, each with its own role and guard:
//   transaction   a unit of work for one account, under row-level security (role interlock_app);
//   read, load    one prepared statement in autocommit for one account, the cheap way to serve a list or to look at a row;
//   system        across accounts (role interlock_system): the relay, the sequencer, token look-up.
// Outside of these nothing sees a row: `app.account` is local to a transaction and the policies fail closed.
import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { IsolationLevel, type EntityData, type EntityDictionary, type EntitySchema } from '@mikro-orm/core';
import pg from 'pg';
import { inSpan } from './tracing/index.ts';
import { sendBeginWithTheFirstQuery } from './one-trip-begin.ts';
import { prepareStatements } from './prepared-statements.ts';
import { CompiledQuery, type Transaction as KyselyTransaction } from 'kysely';

export interface Statement {
  /** Names the prepared statement: the same name is always the same text. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A list for `in`, of values that the code names, never of a user's. */
export function sqlList(values: readonly string[]): string {
  return `(${values.map((value) => `'${value}'`).join(', ')})`;
}

export interface Transaction {
  /** MikroORM's unit of work of this transaction; entities it loads are flushed at its end. */
  readonly em: EntityManager;
  /** SQL of this transaction. Flush first (`await tx.em.flush()`) when it must see what the unit of work holds. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Locks the row of this id. The row is as it is under the lock, also if the unit of work holds an older one: flush
   * what it has changed in it first. Null: the account has none.
   */
  lock<Row extends object>(
    entity: EntitySchema<Row>,
    id: string,
    strength: 'update' | 'no key update' | 'share',
  ): Promise<Row | null>;
  /** The row of this id as it is now, in no unit of work: what is changed in it is not written. Null: the account has none. */
  load<Row extends object>(entity: EntitySchema<Row>, id: string): Promise<Row | null>;
  /** Runs after the commit, never after a rollback. Errors are logged, not thrown. */
  afterCommit(effect: () => unknown): void;
}

export interface SystemQueries {
  readonly query: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  transaction<T>(work: (query: SystemQueries['query']) => Promise<T>): Promise<T>;
  /** Listens on a NOTIFY channel over a connection of its own, reconnecting when it drops. Returns a stop function. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
  /**
   * Holds the advisory lock of two numbers for as long as this process lives, over a connection of its own that takes it
   * again when it drops. Returns a release function.
   */
  holdLock(group: number, number: number): Promise<() => Promise<void>>;
}

export interface Database {
  /** `asOf: 'start'`: all statements see the database as it was at the first one. */
  transaction<T>(
    accountId: string,
    work: (tx: Transaction) => Promise<T>,
    options?: { readonly asOf?: 'start' | 'statement' },
  ): Promise<T>;
  read<Row extends object>(accountId: string, statement: Statement): Promise<Row[]>;
  /** The row of this id as it is now, in no transaction and no unit of work. Null: the account has none. */
  load<Row extends object>(accountId: string, entity: EntitySchema<Row>, id: string): Promise<Row | null>;
  /** Like `load`, all rows that have `value` in a column, in the order of another column. */
  loadAll<Row extends object>(
    accountId: string,
    entity: EntitySchema<Row>,
    by: { readonly column: string; readonly value: string; readonly orderBy: string },
  ): Promise<Row[]>;
  /** Like `load`, the rows of these ids in the order of their ids. Those that the account does not have are left out. */
  loadMany<Row extends object>(accountId: string, entity: EntitySchema<Row>, ids: readonly string[]): Promise<Row[]>;
  readonly system: SystemQueries;
  /** The connections of this process, as of now. */
  pools(): readonly PoolUse[];
  close(): Promise<void>;
}

export interface PoolUse {
  readonly pool: 'transactions' | 'reads' | 'system';
  readonly busy: number;
  readonly idle: number;
  /** Requests for a connection that wait for one. */
  readonly waiting: number;
}

const guards = '-c idle_in_transaction_session_timeout=5000 -c statement_timeout=10000 -c lock_timeout=3000';

export interface DatabaseOptions {
  readonly url: string;
  /** What MikroORM maps; see src/modules/entities.ts. */
  readonly entities: readonly EntitySchema[];
  readonly poolSize?: number;
  readonly onError?: (error: unknown) => void;
}

export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const onError = options.onError ?? (() => {});
  const size = options.poolSize ?? 8;
  const appOptions = `-c role=interlock_app ${guards}`;
  let entityPool: pg.Pool | undefined;
  const orm = await openOrm(options.entities, {
    clientUrl: options.url,
    pool: { min: 0, max: size },
    driverOptions: {
      options: appOptions,
      application_name: 'interlock',
      onPoolCreated: (pool: pg.Pool) => {
        entityPool = pool;
        giveBackEnded(pool);
        pool.on('connect', prepareStatements).on('connect', sendBeginWithTheFirstQuery);
      },
    },
  });
  // Makes the pool, which otherwise waits for the first unit of work, and connects nothing.
  orm.em.getConnection().getClient();
  const reads = new pg.Pool({
    connectionString: options.url,
    max: size,
    options: appOptions,
    application_name: 'interlock-read',
  });
  const systemPool = new pg.Pool({
    connectionString: options.url,
    max: 4,
    options: `-c role=interlock_system ${guards}`,
    application_name: 'interlock-system',
  });
  for (const pool of [reads, systemPool])
    pool.on('error', onError).on('connect', (client) => void client.on('error', onError));

  systemPool.on('connect', prepareStatements);

  const readerOf = createRowReaders(orm);
  const loadRows = async <Row extends object>(
    accountId: string,
    entity: EntitySchema<Row>,
    by: { readonly name: string; readonly where: string; readonly values: readonly string[] },
  ): Promise<Row[]> => {
    const { tableName, list, read } = readerOf(entity);
    // The pool of the units of work: it reads columns the way entities expect them.
    if (entityPool === undefined) throw new Error('The pool of the units of work was not made.');
    const values = [...by.values, accountId];
    const found = await entityPool.query<EntityData<Row>>({
      name: `load_${tableName}_by_${by.name}`,
      text: underAccount(`select ${list} from "${tableName}" where ${by.where}`, values.length),
      values,
    });
    return found.rows.map(read);
  };

  async function runTransaction<T>(
    accountId: string,
    work: (tx: Transaction) => Promise<T>,
    { asOf = 'statement' }: { readonly asOf?: 'start' | 'statement' } = {},
  ): Promise<T> {
    const effects: (() => unknown)[] = [];
    const em = orm.em.fork({ session: { variables: { 'app.account': accountId } } });
    const result = await em.transactional(
      async (scoped) => {
        const find = async <Row extends object>(
          { tableName, list }: RowReader<Row>,
          id: string,
          lock: string,
        ): Promise<EntityDictionary<Row> | undefined> => {
          const text = `select ${list} from "${tableName}" where account_id = $1 and id = $2${lock}`;
          const [found] = await rawQuery<EntityDictionary<Row>>(scoped, text, [accountId, id]);
          return found;
        };
        return await work({
          em: scoped,
          query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
            await rawQuery<Row>(scoped, text, values),
          lock: async (entity, id, strength) => {
            const found = await find(readerOf(entity), id, ` for ${strength}`);
            return found === undefined ? null : scoped.map(entity, found);
          },
          load: async (entity, id) => {
            const reader = readerOf(entity);
            const found = await find(reader, id, '');
            return found === undefined ? null : reader.read(found);
          },
          afterCommit: (effect) => void effects.push(effect),
        });
      },
      asOf === 'start' ? { isolationLevel: IsolationLevel.REPEATABLE_READ } : {},
    );
    for (const effect of effects) {
      try {
        await effect();
      } catch (error) {
        onError(error);
      }
    }
    return result;
  }

  const end = async (): Promise<void> => {
    await Promise.allSettled([closeOrm(options.entities, orm), reads.end(), systemPool.end()]);
  };
  let closing: Promise<void> | undefined;

  return {
    transaction: async (accountId, work, options) =>
      await inSpan('transaction', { kind: 'client' }, async () => await runTransaction(accountId, work, options)),
    read: async <Row extends object>(accountId: string, statement: Statement) => {
      const values = [...statement.values, accountId];
      const result = await reads.query<Row>({
        name: statement.name,
        text: underAccount(statement.text, values.length),
        values,
      });
      return result.rows;
    },
    load: async (accountId, entity, id) => {
      const [row] = await loadRows(accountId, entity, { name: 'id', where: 'id = $1', values: [id] });
      return row ?? null;
    },
    loadAll: async (accountId, entity, { column, value, orderBy }) =>
      await loadRows(accountId, entity, {
        name: column,
        where: `account_id = $1 and "${column}" = $2 order by "${orderBy}"`,
        values: [accountId, value],
      }),
    loadMany: async (accountId, entity, ids) =>
      await loadRows(accountId, entity, {
        name: 'ids',
        where: 'id = any($1::bigint[]) order by id',
        values: [`{${ids.join(',')}}`],
      }),
    system: {
      query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await systemPool.query<Row>(text, [...values])).rows,
      transaction: async (work) => await systemTransaction(systemPool, work),
      listen: async (channel, onMessage) => await listen(options.url, channel, { onMessage, onError }),
      holdLock: async (group, number) =>
        await stayConnected(options.url, 'interlock-lock', {
          onError,
          begin: async (client) => {
            await client.query('select pg_advisory_lock($1, $2)', [group, number]);
          },
        }),
    },
    pools: () => [
      ...(entityPool === undefined ? [] : [useOf('transactions', entityPool)]),
      useOf('reads', reads),
      useOf('system', systemPool),
    ],
    // A second call must not close what the next connection uses by then.
    close: async () => await (closing ??= end()),
  };
}

interface RowReader<Row extends object> {
  readonly tableName: string;
  /** The columns, as SQL. */
  readonly list: string;
  readonly read: (columns: EntityData<Row>) => Row;
}

/** How rows of an entity are read. Rows become what `em.map` makes of them, for half the price of the query instead of twice. */
function createRowReaders(orm: MikroORM): <Row extends object>(entity: EntitySchema<Row>) => RowReader<Row> {
  const readers = new WeakMap<object, unknown>();
  const driver = orm.em.getDriver();
  const platform = driver.getPlatform();
  const makeReader = <Row extends object>(entity: EntitySchema<Row>): RowReader<Row> => {
    const meta = orm.getMetadata().get(entity);
    const stored = meta.props.filter((prop) => prop.persist !== false && !prop.lazy);
    const converted = stored.flatMap(({ name, customType }) =>
      customType === undefined ? [] : [{ name, customType }],
    );
    return {
      tableName: meta.tableName,
      list: stored.flatMap((prop) => prop.fieldNames.map((column) => `"${column}"`)).join(', '),
      read(columns) {
        const row = driver.mapResult(columns, meta) as Row;
        for (const { name, customType } of converted)
          row[name] = customType.convertToJSValue(row[name], platform) as Row[typeof name];
        return row;
      },
    };
  };
  return <Row extends object>(entity: EntitySchema<Row>) => {
    const known = readers.get(entity) as RowReader<Row> | undefined;
    if (known !== undefined) return known;
    const made = makeReader(entity);
    readers.set(entity, made);
    return made;
  };
}

interface OrmConnection {
  readonly clientUrl: string;
  readonly pool: { readonly min: number; readonly max: number };
  readonly driverOptions: object;
}

/** ORMs that were closed, by their entities. */
const closedOrms = new Map<readonly EntitySchema[], MikroORM[]>();

// Finding out what the entities are takes 25 ms, and the code that is compiled for them begins cold. A process that
// connects to one database after the other, as tests do, does that once.
async function openOrm(entities: readonly EntitySchema[], connection: OrmConnection): Promise<MikroORM> {
  const closed = closedOrms.get(entities)?.pop();
  if (closed === undefined)
    return await MikroORM.init({
      ...connection,
      entities: [...entities],
      discovery: { warnWhenNoEntities: false },
      implicitTransactions: true,
      forceUtcTimezone: true,
    });
  const dbName = decodeURIComponent(new URL(connection.clientUrl).pathname.slice(1));
  await closed.reconnect({ ...connection, dbName });
  return closed;
}

async function closeOrm(entities: readonly EntitySchema[], orm: MikroORM): Promise<void> {
  await orm.close(true);
  closedOrms.set(entities, [...(closedOrms.get(entities) ?? []), orm]);
}

function useOf(pool: PoolUse['pool'], { totalCount, idleCount, waitingCount }: pg.Pool): PoolUse {
  return { pool, busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

// The account is set and the rows are read in one statement of an autocommit connection: a third of the price of
// BEGIN/SET/SELECT/COMMIT. The form matters: `offset 0` and the materialized CTE make PostgreSQL set the account
// before it evaluates a policy; a plain join with set_config was seen to read another tenant's rows.
function underAccount(text: string, parameter: number): string {
  return `with _c as materialized (select set_config('app.account', $${parameter}, true) a)
select q.* from _c, lateral (select i.* from (${text}) i where _c.a is not null offset 0) q`;
}

async function rawQuery<Row extends object>(
  em: EntityManager,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  // MikroORM's own raw execution writes parameters into the text; its Kysely transaction binds them.
  const transaction = em.getTransactionContext<KyselyTransaction<unknown>>();
  if (transaction === undefined) throw new Error('A query of a unit of work was made outside of its transaction.');
  const result = await transaction.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return result.rows;
}

async function systemTransaction<T>(pool: pg.Pool, work: (query: SystemQueries['query']) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(
      async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values])).rows,
    );
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => void (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function listen(
  url: string,
  channel: string,
  { onMessage, onError }: { readonly onMessage: (payload: string) => void; readonly onError: (error: unknown) => void },
): Promise<() => Promise<void>> {
  return await stayConnected(url, 'interlock-listen', {
    onError,
    begin: async (client) => {
      client.on('notification', (message) => onMessage(message.payload ?? ''));
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      // What was notified while nobody listened is found by reading: a reconnect is a message too.
      onMessage('');
    },
  });
}

// PostgreSQL finds out within half a minute that the machine of a session is gone.
const soonMissed = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

/** `begin` is called with each connection. Returns a stop function. */
async function stayConnected(
  url: string,
  name: string,
  {
    onError,
    begin,
  }: { readonly onError: (error: unknown) => void; readonly begin: (client: pg.Client) => Promise<void> },
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: url,
      application_name: name,
      keepAlive: true,
      options: soonMissed,
    });
    next.on('error', onError);
    next.on('end', () => {
      if (!stopped) retry = setTimeout(() => void connect().catch(onError), 500);
    });
    client = next;
    await next.connect();
    await begin(next);
  };
  const stop = async (): Promise<void> => {
    stopped = true;
    clearTimeout(retry);
    await client?.end();
  };
  try {
    await connect();
  } catch (error) {
    // Nobody is given the means to stop it: it must not go on by itself.
    await stop();
    throw error;
  }
  return stop;
}

// Kysely releases a transaction's connection only after a ROLLBACK that succeeded. A session that PostgreSQL ended
// cannot roll back, and would keep its place in the pool for ever.
function giveBackEnded(pool: pg.Pool): void {
  const held = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => void held.add(client));
  pool.on('release', (_error, client) => void held.delete(client));
  pool.on('connect', (client) => {
    client.on('end', () => {
      if (held.has(client)) client.release(true);
    });
  });
}
