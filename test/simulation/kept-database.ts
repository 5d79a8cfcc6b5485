// The database of the simulation. One simulation after the other uses it, and one process after the other uses its
// connections, because in new sessions PostgreSQL would plan every statement again.
import pg from 'pg';
import { inject } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { closable, prepareRestore, restoreState } from '../support/kept-databases.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { prepareVirtualTime } from './virtual-time.ts';

export interface SimulatedDatabase {
  readonly url: string;
  /** A session of the owner of the tables. */
  readonly owner: pg.Client;
  /** Connections for a process. When they are closed, another process gets them. */
  open(): Promise<Database>;
  /** Keeps the database for the next simulation, unless connections are still open. */
  drop(): Promise<void>;
}

interface Kept {
  readonly own: TestDatabase;
  readonly owner: pg.Client;
  readonly idle: Database[];
}

let kept: Kept | null = null;

/** An empty database with virtual time. */
export async function takeSimulatedDatabase(): Promise<SimulatedDatabase> {
  const taken = kept ?? (await make());
  kept = null;
  const { own, owner, idle } = taken;
  const opened = new Set<Database>();
  await restoreState(owner, inject('postgres').empty);
  return {
    url: own.url,
    owner,
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
      await Promise.allSettled([owner.end(), ...all.map(async (each) => await each.close())]);
      await own.drop();
    },
  };
}

async function make(): Promise<Kept> {
  const own = await createTestDatabase();
  const prepared = new pg.Client({ connectionString: own.url });
  await prepared.connect();
  await prepareVirtualTime(prepared);
  await prepared.end();
  // Only new sessions have the search path of the database.
  const owner = new pg.Client({ connectionString: own.url });
  // An idle session reports an error when it is ended with its database.
  owner.on('error', () => {});
  await owner.connect();
  await prepareRestore(owner);
  return { own, owner, idle: [] };
}
