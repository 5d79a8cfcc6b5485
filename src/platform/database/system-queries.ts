// Queries across accounts, in the role interlock_system.
import type pg from 'pg';
import { holdLock, type LastingOptions } from './lasting-connections.ts';
import { createListen, type Listen } from './listener.ts';
import { sentWithNext } from './statements.ts';

export interface SystemQueries {
  readonly query: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  /**
   * `send` runs SQL whose answer is not needed, in one round trip with the next statement or the commit. If it fails, that
   * statement or the commit fails with its error.
   */
  transaction<T>(work: (query: SystemQueries['query'], send: SystemSend) => Promise<T>): Promise<T>;
  /**
   * Listens on a NOTIFY channel, over a connection that all listeners share and that reconnects if it drops. At the
   * begin and after a reconnect, `onMessage` is called with '', because messages may have been missed. Resolves to a
   * stop function.
   */
  readonly listen: Listen;
  /**
   * Holds the advisory lock of two numbers over a connection of its own for as long as this process lives. If the
   * connection drops, it reconnects and takes the lock again. Returns a release function.
   */
  holdLock(group: number, number: number): Promise<() => Promise<void>>;
}

export type SystemSend = (text: string, values?: readonly unknown[]) => Promise<void>;

export function createSystemQueries(url: string, pool: pg.Pool, options: LastingOptions): SystemQueries {
  return {
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    transaction: async (work) => await systemTransaction(pool, work),
    listen: createListen(url, options),
    holdLock: async (group, number) => await holdLock(url, [group, number], options),
  };
}

async function systemTransaction<T>(
  pool: pg.Pool,
  work: (query: SystemQueries['query'], send: SystemSend) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(
      async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values])).rows,
      async (text, values = []) => {
        await client.query(`${sentWithNext}${text}`, [...values]);
      },
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
