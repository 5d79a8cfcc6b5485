// Queries across accounts, in the role interlock_system.
import type pg from 'pg';
import { holdLock, listen } from './lasting-connections.ts';

export interface SystemQueries {
  readonly query: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  transaction<T>(work: (query: SystemQueries['query']) => Promise<T>): Promise<T>;
  /**
   * Listens on a NOTIFY channel over a connection of its own, and reconnects if the connection drops. Returns a stop
   * function.
   */
  listen(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
  /**
   * Holds the advisory lock of two numbers over a connection of its own for as long as this process lives. If the
   * connection drops, it reconnects and takes the lock again. Returns a release function.
   */
  holdLock(group: number, number: number): Promise<() => Promise<void>>;
}

export function createSystemQueries(url: string, pool: pg.Pool, onError: (error: unknown) => void): SystemQueries {
  return {
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    transaction: async (work) => await systemTransaction(pool, work),
    listen: async (channel, onMessage) => await listen(url, channel, { onMessage, onError }),
    holdLock: async (group, number) => await holdLock(url, [group, number], onError),
  };
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
