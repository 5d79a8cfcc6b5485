// Sends reads over the connections of a pool. If all connections are busy, reads wait. A connection that becomes free
// takes several waiting reads of one statement, and sends them in one message. So accounts that read the same at once
// share round trips, as they do when an event reaches the subscribers of many accounts. Only reads of the same statement
// are sent together. They take about as long as each other, so no quick read waits for a slow one on its connection.
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { PreparedQuery, sendPrepared } from './prepared-query.ts';

export interface Statement {
  /** The name of the prepared statement. A name must always have the same text. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** How many reads are sent together at most. */
const mostTogether = 16;

interface WaitingRead {
  readonly statement: Statement;
  resolve(this: void, rows: object[]): void;
  reject(this: void, error: unknown): void;
}

export interface ReadQueue {
  read<Row extends object>(statement: Statement): Promise<Row[]>;
  /** How many reads wait for a connection. */
  waiting(): number;
}

/** `pool`: a pool whose connections are in pipeline mode. `size`: how many connections it may have. */
export function createReadQueue(pool: pg.Pool, size: number): ReadQueue {
  /** The waiting reads of each statement, by its name. The statements take turns: the first is sent next. */
  const waiting = new Map<string, WaitingRead[]>();
  let working = 0;

  function takeTogether(): WaitingRead[] {
    const [first] = waiting;
    if (first === undefined) return [];
    const [name, reads] = first;
    // One connection takes no more than its share, so that PostgreSQL executes as many reads at once as it can.
    const taken = reads.splice(0, Math.min(Math.ceil(reads.length / size), mostTogether));
    waiting.delete(name);
    if (reads.length > 0) waiting.set(name, reads);
    return taken;
  }

  async function sendAlone<Row extends object>({ name, text, values }: Statement): Promise<Row[]> {
    working += 1;
    try {
      const read = new PreparedQuery({ name, text, values: [...values] });
      // The types of pg do not know that a pool returns a promise for a query, too.
      return ((await (pool.query(read) as unknown)) as pg.QueryResult<Row>).rows;
    } finally {
      goOn();
    }
  }

  function goOn(): void {
    working -= 1;
    if (waiting.size > 0) void sendWaiting();
  }

  async function sendWaiting(): Promise<void> {
    working += 1;
    const reads = takeTogether();
    try {
      const client = await pool.connect();
      client.release(await sendTogether(client, reads));
    } catch (error) {
      for (const { reject } of reads) reject(error);
    } finally {
      goOn();
    }
  }

  return {
    read: async <Row extends object>(statement: Statement) => {
      if (working < size) return await sendAlone<Row>(statement);
      return await new Promise<Row[]>((resolve, reject) => {
        const read: WaitingRead = { statement, resolve: (rows) => resolve(rows as Row[]), reject };
        const others = waiting.get(statement.name);
        if (others === undefined) waiting.set(statement.name, [read]);
        else others.push(read);
      });
    },
    waiting: () => [...waiting.values()].reduce((sum, reads) => sum + reads.length, 0),
  };
}

/** Returns the error of a read that failed. Then the connection must not be used again. */
async function sendTogether(client: pg.PoolClient, reads: readonly WaitingRead[]): Promise<Error | undefined> {
  let failure: Error | undefined;
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection;
  stream.cork();
  const answers = reads.map(async ({ statement, resolve, reject }) => {
    try {
      resolve(await rowsOf(client, statement));
    } catch (error) {
      failure = error as Error;
      reject(error);
    }
  });
  stream.uncork();
  await Promise.all(answers);
  return failure;
}

async function rowsOf(client: pg.PoolClient, { name, text, values }: Statement): Promise<object[]> {
  const { rows } = await sendPrepared((query) => client.query(query), { name, text, values: [...values] });
  return rows;
}
