// A database that is used again has the state that the test requested, whatever the test before has done.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readState, takeDatabase, type KeptDatabase } from './kept-databases.ts';

type Owner = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

async function asOwner<T>({ url }: KeptDatabase, work: (owner: Owner) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async (text, values = []) => await client.query(text, [...values]));
  } finally {
    await client.end();
  }
}

interface Tables {
  readonly tables: readonly (readonly [name: string, columns: string, rows: readonly object[]])[];
  readonly sequences: readonly unknown[];
}

/** The state without the order of rows, which changes if PostgreSQL has vacuumed the table meanwhile. */
function contentOf(state: string): unknown {
  const { tables, sequences } = JSON.parse(state) as Tables;
  return {
    tables: tables.map(([name, columns, rows]) => [name, columns, rows.map((row) => JSON.stringify(row)).toSorted()]),
    sequences,
  };
}

const addAccount = async (database: KeptDatabase, name: string): Promise<string> =>
  await asOwner(database, async (owner) => {
    const { rows } = await owner('insert into account (name) values ($1) returning id::text as id', [name]);
    return rows[0].id;
  });

describe('a database that is used again', () => {
  it('begins with the given rows and sequences, and with no others', async () => {
    const first = await takeDatabase();
    const empty = await readState(first.url);
    const id = await addAccount(first, 'one "and" \\ two');
    const filled = await readState(first.url);
    await addAccount(first, 'three');
    await first.drop();

    const second = await takeDatabase(filled);
    expect(second.url).toBe(first.url);
    expect(contentOf(await readState(second.url))).toEqual(contentOf(filled));
    expect(await addAccount(second, 'four')).toBe(`${Number(id) + 1}`);
    await second.drop();

    const third = await takeDatabase();
    expect(third.url).toBe(first.url);
    expect(contentOf(await readState(third.url))).toEqual(contentOf(empty));
    await third.drop();
  });

  it('is given to one test only, although the test before has dropped it twice', async () => {
    const before = await takeDatabase();
    await before.drop();
    await before.drop();
    const [first, second] = [await takeDatabase(), await takeDatabase()];
    expect(first.url).not.toBe(second.url);
    await first.drop();
    await second.drop();
  });

  it('does not answer connections of the test before', async () => {
    const before = await takeDatabase();
    await before.drop();
    const after = await takeDatabase();
    await expect(before.database.system.query('select 1')).rejects.toThrow(
      'The connections to the database are closed.',
    );
    expect(await after.database.system.query('select 1 as one')).toEqual([{ one: 1 }]);
    await after.drop();
  });

  it('is dropped if a session, a lock, running work or a changed schema is left', async () => {
    const left: Record<string, (database: KeptDatabase) => Promise<() => Promise<unknown>>> = {
      'a session': async (database) => {
        const client = new pg.Client({ connectionString: database.url });
        // The session ends with its database.
        client.on('error', () => {});
        await client.connect();
        return async () => await client.end();
      },
      'a session that listens': async (database) => await database.database.system.listen('left', () => {}),
      'a lock': async (database) => {
        await database.database.system.query('select pg_advisory_lock(1)');
        return async () => {};
      },
      'work under way': async (database) => {
        const work = database.database.system.query('select pg_sleep(1.5)').catch(() => {});
        return async () => await work;
      },
      'a trigger': async (database) => {
        await asOwner(database, async (owner) => {
          await owner(`create function refuse() returns trigger language plpgsql as 'begin raise ''no''; end'`);
          await owner('create trigger refuse before insert on account for each row execute function refuse()');
        });
        return async () => {};
      },
      'a column': async (database) => {
        await asOwner(database, async (owner) => await owner('alter table account add column more text'));
        return async () => {};
      },
    };
    const usedAgain: string[] = [];
    for (const [what, leave] of Object.entries(left)) {
      const database = await takeDatabase();
      const end = await leave(database);
      await database.drop();
      await end();
      const next = await takeDatabase();
      if (next.url === database.url) usedAgain.push(what);
      await next.drop();
    }
    expect(usedAgain).toEqual([]);
  });
});
