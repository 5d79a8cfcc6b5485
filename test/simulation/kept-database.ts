// The database of the simulation. One simulation after the other uses it, and one process after the other uses its
// connections, because in new sessions PostgreSQL would plan every statement again.
import pg from 'pg';
import { inject } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { closable, prepareRestore, restoreState } from '../support/kept-databases.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { countWrites } from './kept-rows.ts';
import { prepareVirtualTime } from './virtual-time.ts';

export interface SimulatedDatabase {
  readonly url: string;
  /** A session of the owner of the tables. */
  readonly owner: pg.Client;
  /** A session in pipeline mode with the rights of the system, for `keepRows`. */
  readonly reader: pg.Client;
  /** Connections for a process. When they are closed, another process gets them. */
  open(): Promise<Database>;
  /** Keeps the database for the next simulation, unless connections are still open. */
  drop(): Promise<void>;
}

interface Kept {
  readonly own: TestDatabase;
  readonly owner: pg.Client;
  readonly reader: pg.Client;
  readonly idle: Database[];
}

let kept: Kept | null = null;

/** An empty database with virtual time. */
export async function takeSimulatedDatabase(): Promise<SimulatedDatabase> {
  const taken = kept ?? (await make());
  kept = null;
  const { own, owner, reader, idle } = taken;
  const opened = new Set<Database>();
  await restoreState(owner, inject('postgres').empty);
  return {
    url: own.url,
    owner,
    reader,
    async open() {
      const connections =
        idle.pop() ?? (await connectDatabase({ url: own.url, entities, poolSize: 3, onError: () => {} }));
      opened.add(connections);
      const database = closable(connections);
      return {
        ...database,
        async close() {
          await database.close();
          if (opened.delete(connections)) idle.push(connections);
        },
      };
    },
    async drop() {
      const all = [...idle, ...opened];
      const isBusy = all.some((each) => each.pools().some(({ busy, waiting }) => busy + waiting > 0));
      if (!isBusy && opened.size === 0 && kept === null) {
        kept = taken;
        return;
      }
      await Promise.allSettled([owner.end(), reader.end(), ...all.map(async (each) => await each.close())]);
      await own.drop();
    },
  };
}

async function make(): Promise<Kept> {
  const own = await createTestDatabase();
  const prepared = new pg.Client({ connectionString: own.url });
  await prepared.connect();
  await prepareVirtualTime(prepared);
  await countWrites(prepared);
  await prepared.end();
  // Only new sessions have the search path of the database.
  const owner = await connect({ connectionString: own.url });
  const reader = await connect({ connectionString: own.url, options: '-c role=interlock_system', pipeline: true });
  await prepareRestore(owner);
  return { own, owner, reader, idle: [] };
}

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  // An idle session reports an error when it is ended with its database.
  client.on('error', () => {});
  await client.connect();
  return client;
}
