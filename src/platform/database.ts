// Access to PostgreSQL. There are three ways, each with its own role and limits:
//   transaction   a unit of work for one account, under row-level security (role interlock_app);
//   read, load    one prepared statement in autocommit for one account, the cheapest way to read rows;
//   system        queries across accounts (role interlock_system): the relay, the sequencer, the look-up of tokens.
// No other query sees a row, because `app.account` is local to a transaction, and without it the policies of row-level
// security allow no row.
import { DriverException, type EntitySchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { createAccountReads } from './database/account-reads.ts';
import { BindingDriver } from './database/bound-values.ts';
import { openReadPool, openSystemPool, unitOfWorkPool, useOf, type PoolUse } from './database/pools.ts';
import { inMarkedScope, markCommits, withoutMarks, type CommitMarks } from './database/commit-marks.ts';
import { listenerName, listenLazily, type LazyListener } from './database/listener.ts';
import { createReadQueue, type Statement } from './database/read-queue.ts';
import { createRowReaders } from './database/row-readers.ts';
import { defaultLimits, type SilenceLimits } from './database/silence.ts';
import { createSystemQueries, type SystemQueries, type SystemSend } from './database/system-queries.ts';
import { createUnitsOfWork, type Transaction, type UnitOfWorkOptions } from './database/unit-of-work.ts';
import { inSpan } from './tracing/index.ts';

export { inMarkedScope, listenerName, listenLazily, markCommits, withoutMarks };
export type { CommitMarks, LazyListener, Statement, SystemQueries, SystemSend, Transaction };

/**
 * A list for SQL's `in`. The values must be constants of the code, and never input of a user, because they are not
 * escaped.
 */
export function sqlList(values: readonly string[]): string {
  return `(${values.map((value) => `'${value}'`).join(', ')})`;
}

/** Whether PostgreSQL refused a statement. The message of such an error may contain SQL and values. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof DriverException || error instanceof pg.DatabaseError;
}

export interface Database {
  transaction<T>(accountId: string, work: (tx: Transaction) => Promise<T>, options?: UnitOfWorkOptions): Promise<T>;
  read<Row extends object>(accountId: string, statement: Statement): Promise<Row[]>;
  /** Reads the row with this id in autocommit. It is no part of a unit of work. Null: the account has no such row. */
  load<Row extends object>(accountId: string, entity: EntitySchema<Row>, id: string): Promise<Row | null>;
  /** Like `load`, for all rows that have `value` in the column `column`, ordered by the column `orderBy`. */
  loadAll<Row extends object>(
    accountId: string,
    entity: EntitySchema<Row>,
    by: { readonly column: string; readonly value: string; readonly orderBy: string },
  ): Promise<Row[]>;
  /**
   * Like `load`, for the rows with these ids, ordered by id. Ids of rows that the account does not have are left out.
   */
  loadMany<Row extends object>(accountId: string, entity: EntitySchema<Row>, ids: readonly string[]): Promise<Row[]>;
  readonly system: SystemQueries;
  /** The present state of the connection pools of this process. */
  pools(): readonly PoolUse[];
  close(): Promise<void>;
}

/** The same database. Its transactions leave no marks (`withoutMarks`). */
export function withoutMarksIn(db: Database): Database {
  return {
    ...db,
    transaction: async (accountId, work, options) =>
      await withoutMarks(async () => await db.transaction(accountId, work, options)),
  };
}

export interface DatabaseOptions {
  readonly url: string;
  /** The entities that MikroORM maps (src/modules/entities.ts). */
  readonly entities: readonly EntitySchema[];
  readonly poolSize?: number;
  readonly onError?: (error: unknown) => void;
  /** When PostgreSQL counts as gone. */
  readonly limits?: SilenceLimits;
}

export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, entities, poolSize: size = 8, limits = defaultLimits } = options;
  let closing: Promise<void> | undefined;
  // PostgreSQL may end a session before it learns that its connection was closed. This is no failure.
  const onError = (error: unknown): void => void (closing === undefined && options.onError?.(error));
  const made: pg.Pool[] = [];
  const orm = await openOrm(
    entities,
    unitOfWorkPool({ url, size, limits }, (pool) => made.push(pool)),
  );
  // Makes the pool now instead of at the first unit of work. This opens no connection.
  orm.em.getConnection().getClient();
  const transactions = made.at(-1);
  if (transactions === undefined) throw new Error('The pool of the units of work was not made.');
  const readPool = openReadPool(url, size, { limits, onError });
  const reads = createReadQueue(readPool, size);
  const system = openSystemPool(url, { limits, onError });
  const readerOf = createRowReaders(orm);
  const runTransaction = createUnitsOfWork({ orm, readerOf, onError });

  const end = async (): Promise<void> => {
    await Promise.allSettled([closeOrm(entities, orm), readPool.end(), system.end()]);
  };

  return {
    ...createAccountReads({ reads, entities: transactions }, readerOf),
    transaction: async (accountId, work, options) =>
      await inSpan('transaction', { kind: 'client' }, async () => await runTransaction(accountId, work, options)),
    system: createSystemQueries(url, system, { limits, onError }),
    pools: () => [
      useOf('transactions', transactions),
      useOf('reads', readPool, reads.waiting()),
      useOf('system', system),
    ],
    // Closes only once. At a second call, the next `connectDatabase` may already use the closed ORM again.
    close: async () => await (closing ??= end()),
  };
}

interface OrmConnection {
  readonly clientUrl: string;
  readonly pool: { readonly min: number; readonly max: number };
  readonly driverOptions: object;
}

/** Closed ORMs that can be opened again, by their entities. */
const closedOrms = new Map<readonly EntitySchema[], MikroORM[]>();

// MikroORM needs 25 ms to discover the entities, and the code that it compiles for them is slow at first. A process
// that connects to one database after the other, as tests do, reuses a closed ORM instead.
async function openOrm(entities: readonly EntitySchema[], connection: OrmConnection): Promise<MikroORM> {
  const closed = closedOrms.get(entities)?.pop();
  if (closed === undefined)
    return await MikroORM.init({
      ...connection,
      driver: BindingDriver,
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
