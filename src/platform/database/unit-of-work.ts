// A unit of work: one transaction for one account, under row-level security.
import { IsolationLevel, type EntityDictionary, type EntitySchema } from '@mikro-orm/core';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery, type DatabaseConnection, type Transaction as KyselyTransaction } from 'kysely';
import { isOutage } from '../outage.ts';
import { marksOf, withoutMarks, type CommitMarks } from './commit-marks.ts';
import type { RowReader, RowReaderOf } from './row-readers.ts';
import { sentWithNext } from './statements.ts';

/** The rows that have one of the ids in the column `column`, ordered by the column `orderBy`. */
export interface RowsBy {
  readonly column: string;
  readonly ids: readonly string[];
  readonly orderBy: string;
  /** SQL for a further condition. It must be a constant of the code. */
  readonly also?: string;
}

export interface Transaction {
  /** MikroORM's unit of work of this transaction. Changed entities are flushed before the commit. */
  readonly em: EntityManager;
  /** Runs SQL in this transaction. It sees changed entities only after `await tx.em.flush()`. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs SQL whose answer is not needed, in one round trip with the next statement or the commit. If it fails, that
   * statement or the commit fails with its error.
   */
  send(text: string, values?: readonly unknown[]): Promise<void>;
  /**
   * Locks the row with this id and reads it again under the lock. An unflushed change of the row would be lost, so
   * flush before. Null: the account has no such row.
   */
  lock<Row extends object>(
    entity: EntitySchema<Row>,
    id: string,
    strength: 'update' | 'no key update' | 'share',
  ): Promise<Row | null>;
  /**
   * Reads the row with this id outside of the unit of work: changes of the returned object are not written. Null: the
   * account has no such row.
   */
  load<Row extends object>(entity: EntitySchema<Row>, id: string): Promise<Row | null>;
  /** Like `load`, for several rows. */
  loadAll<Row extends object>(entity: EntitySchema<Row>, by: RowsBy): Promise<Row[]>;
  /**
   * Reads rows into the unit of work: changes of the returned objects are written. Unlike `em.find`, this uses a
   * prepared statement, and shares a round trip with other statements. An unflushed change of one of the rows would be
   * lost, so flush before.
   */
  find<Row extends object>(entity: EntitySchema<Row>, by: RowsBy): Promise<Row[]>;
  /** Runs after the commit, never after a rollback. Errors are logged, not thrown. */
  afterCommit(effect: () => unknown): void;
}

export interface UnitOfWorkOptions {
  /**
   * `start`: all statements see the database as it was at the first statement. `statement`, the default: each statement
   * sees the newest commits.
   */
  readonly asOf?: 'start' | 'statement';
}

interface UnitsOfWork {
  readonly orm: MikroORM;
  readonly readerOf: RowReaderOf;
  readonly onError: (error: unknown) => void;
}

export function createUnitsOfWork({ orm, readerOf, onError }: UnitsOfWork) {
  return async <T>(
    accountId: string,
    work: (tx: Transaction) => Promise<T>,
    { asOf = 'statement' }: UnitOfWorkOptions = {},
  ): Promise<T> => {
    const effects: (() => unknown)[] = [];
    const em = orm.em.fork({ session: { variables: { 'app.account': accountId } } });
    const marks = marksOf(accountId);
    const result = await surelyCommitted<T>(marks, async (beforeCommit) =>
      em.transactional(
        async (scoped) => {
          const connection = await connectionOf(scoped);
          const session: Session = { connection, isOver: false };
          const tx: Transaction = {
            ...queriesOf(scoped, session, { accountId, readerOf }),
            em: scoped,
            afterCommit: (effect) => void effects.push(effect),
          };
          try {
            return await beforeCommit(tx, await work(tx));
          } finally {
            session.isOver = true;
          }
        },
        asOf === 'start' ? { isolationLevel: IsolationLevel.REPEATABLE_READ } : {},
      ),
    );
    for (const effect of effects) {
      try {
        await effect();
      } catch (error) {
        onError(error);
      }
    }
    return result;
  };
}

type BeforeCommit<T> = (tx: Transaction, result: T) => Promise<T>;

/** Runs a transaction. If the answer to its commit is lost, its mark says whether it has committed. */
async function surelyCommitted<T>(
  marks: CommitMarks | null,
  run: (beforeCommit: BeforeCommit<T>) => Promise<T>,
): Promise<T> {
  if (marks === null) return await run(async (_tx, result) => await Promise.resolve(result));
  let ready: { readonly mark: number; readonly result: T } | undefined;
  try {
    return await run(async (tx, result) => {
      await tx.em.flush();
      const mark = await marks.set(tx);
      if (mark !== null) ready = { mark, result };
      return result;
    });
  } catch (error) {
    if (ready === undefined || !isOutage(error)) throw error;
    const { mark, result } = ready;
    if (!(await withoutMarks(async () => await marks.isCommitted(mark)))) throw error;
    return result;
  }
}

// Kysely runs one statement of a transaction at a time. The connection itself does not wait for an answer before it
// sends the next statement, so statements that do not need each other's answers can share a round trip.
async function connectionOf(em: EntityManager): Promise<DatabaseConnection> {
  const transaction = em.getTransactionContext<KyselyTransaction<unknown>>();
  if (transaction === undefined) throw new Error('A unit of work has no transaction.');
  return await transaction.getExecutor().provideConnection(async (connection) => await Promise.resolve(connection));
}

interface Session {
  readonly connection: DatabaseConnection;
  /** Whether the work of the unit is done. A later statement could reach the transaction of another account. */
  isOver: boolean;
}

function queriesOf(
  em: EntityManager,
  session: Session,
  { accountId, readerOf }: { readonly accountId: string; readonly readerOf: RowReaderOf },
) {
  const find = async <Row extends object>(
    { tableName, list }: RowReader<Row>,
    id: string,
    lock: string,
  ): Promise<EntityDictionary<Row> | undefined> => {
    const text = `select ${list} from "${tableName}" where account_id = $1 and id = $2${lock}`;
    const [found] = await rawQuery<EntityDictionary<Row>>(session, text, [accountId, id]);
    return found;
  };
  const findAll = async <Row extends object>(
    { tableName, list }: RowReader<Row>,
    { column, ids, orderBy, also }: RowsBy,
  ): Promise<EntityDictionary<Row>[]> => {
    const text = `select ${list} from "${tableName}" where account_id = $1 and "${column}" = any($2::bigint[])${also === undefined ? '' : ` and ${also}`} order by "${orderBy}"`;
    return await rawQuery<EntityDictionary<Row>>(session, text, [accountId, ids]);
  };
  return {
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      await rawQuery<Row>(session, text, values),
    send: async (text: string, values: readonly unknown[] = []) => {
      await rawQuery(session, `${sentWithNext}${text}`, values);
    },
    lock: async (entity, id, strength) => {
      const found = await find(readerOf(entity), id, ` for ${strength}`);
      return found === undefined ? null : em.map(entity, found);
    },
    load: async (entity, id) => {
      const reader = readerOf(entity);
      const found = await find(reader, id, '');
      return found === undefined ? null : reader.read(found);
    },
    loadAll: async (entity, by) => {
      const reader = readerOf(entity);
      return (await findAll(reader, by)).map((row) => reader.read(row));
    },
    find: async (entity, by) => (await findAll(readerOf(entity), by)).map((row) => em.map(entity, row)),
  } satisfies Pick<Transaction, 'query' | 'send' | 'lock' | 'load' | 'loadAll' | 'find'>;
}

// MikroORM's own raw execution writes the parameters into the text. The connection binds them.
async function rawQuery<Row extends object>(
  { connection, isOver }: Session,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  if (isOver) throw new Error('A query of a unit of work was made after its end.');
  const result = await connection.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return result.rows;
}
