// PostgreSQL. Three ways in, each with its own role and guard:
//   transaction   a unit of work for one account, under row-level security (role interlock_app);
// read, load    one prepared statement in autocommit for one account, the cheap way to serve a list or to look at a
// row;
//   system        across accounts (role interlock_system): the relay, the sequencer, token look-up.
// Outside of these nothing sees a row: `app.account` is local to a transaction and the policies fail closed.
import type { EntitySchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { createAccountReads, type Statement } from './database/account-reads.ts';
import { openReadPool, openSystemPool, unitOfWorkPool, useOf, type PoolUse } from './database/pools.ts';
import { createRowReaders } from './database/row-readers.ts';
import { createSystemQueries, type SystemQueries } from './database/system-queries.ts';
import { createUnitsOfWork, type Transaction, type UnitOfWorkOptions } from './database/unit-of-work.ts';
import { inSpan } from './tracing/index.ts';

export type { Statement, SystemQueries, Transaction };

/** A list for `in`, of values that the code names, never of a user's. */
export function sqlList(values: readonly string[]): string {
  return `(${values.map((value) => `'${value}'`).join(', ')})`;
}

export interface Database {
  transaction<T>(accountId: string, work: (tx: Transaction) => Promise<T>, options?: UnitOfWorkOptions): Promise<T>;
  read<Row extends object>(accountId: string, statement: Statement): Promise<Row[]>;
  /** The row of this id as it is now, in no transaction and no unit of work. Null: the account has none. */
  load<Row extends object>(accountId: string, entity: EntitySchema<Row>, id: string): Promise<Row | null>;
  /** Like `load`, all rows that have `value` in a column, in the order of another column. */
  loadAll<Row extends object>(
    accountId: string,
    entity: EntitySchema<Row>,
    by: { readonly column: string; readonly value: string; readonly orderBy: string },
  ): Promise<Row[]>;
  /** Like `load`, the rows of these ids in the order of their ids. Ids that the account does not have are left out. */
  loadMany<Row extends object>(accountId: string, entity: EntitySchema<Row>, ids: readonly string[]): Promise<Row[]>;
  readonly system: SystemQueries;
  /** The connections of this process, as of now. */
  pools(): readonly PoolUse[];
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** What MikroORM maps; see src/modules/entities.ts. */
  readonly entities: readonly EntitySchema[];
  readonly poolSize?: number;
  readonly onError?: (error: unknown) => void;
}

export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, entities, onError = () => {}, poolSize: size = 8 } = options;
  const made: pg.Pool[] = [];
  const orm = await openOrm(
    entities,
    unitOfWorkPool({ url, size }, (pool) => made.push(pool)),
  );
  // Makes the pool, which otherwise waits for the first unit of work, and connects nothing.
  orm.em.getConnection().getClient();
  const transactions = made.at(-1);
  if (transactions === undefined) throw new Error('The pool of the units of work was not made.');
  const reads = openReadPool(url, size, onError);
  const system = openSystemPool(url, onError);
  const readerOf = createRowReaders(orm);
  const runTransaction = createUnitsOfWork({ orm, readerOf, onError });

  const end = async (): Promise<void> => {
    await Promise.allSettled([closeOrm(entities, orm), reads.end(), system.end()]);
  };
  let closing: Promise<void> | undefined;

  return {
    ...createAccountReads({ reads, entities: transactions }, readerOf),
    transaction: async (accountId, work, options) =>
      await inSpan('transaction', { kind: 'client' }, async () => await runTransaction(accountId, work, options)),
    system: createSystemQueries(url, system, onError),
    pools: () => [useOf('transactions', transactions), useOf('reads', reads), useOf('system', system)],
    // A second call must not close what the next connection uses by then.
    close: async () => await (closing ??= end()),
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
