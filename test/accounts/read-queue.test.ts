// Reads that wait for a connection are sent together with others of the same statement.
import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { createReadQueue } from '../../src/platform/database/read-queue.ts';
import { openWorld, type World } from '../events/world.ts';

interface Sent {
  readonly name: string;
  readonly value: unknown;
  answer(this: void): void;
  fail(this: void): void;
}

/** A query as pg sends it. */
interface Read {
  readonly name: string;
  readonly values: readonly unknown[];
  callback(this: void, error: Error | null, result?: { readonly rows: readonly object[] }): void;
}

/** A pool that notes what is sent over each connection from when it is taken until it is returned. */
function fakePool(size: number) {
  const uses: { readonly sent: Sent[]; returnedWith?: unknown; isReturned: boolean }[] = [];
  const pool = {
    isAway: false,
    query: async (read: Read) => {
      const client = await pool.connect();
      try {
        const answer = await new Promise((resolve, reject) => {
          read.callback = (error, result) => (error === null ? resolve(result) : reject(error));
          client.query(read);
        });
        client.release(undefined);
        return answer;
      } catch (error) {
        client.release(error);
        throw error;
      }
    },
    connect: async () => {
      if (pool.isAway) throw new Error('the database is away');
      const use: (typeof uses)[number] = { sent: [], isReturned: false };
      uses.push(use);
      return {
        connection: { stream: { cork: () => {}, uncork: () => {} } },
        query: (read: Read) => {
          const [value] = read.values;
          use.sent.push({
            name: read.name,
            value,
            answer: () => read.callback(null, { rows: [{ value }] }),
            fail: () => read.callback(new Error(`no ${String(value)}`)),
          });
        },
        release: (error: unknown) => Object.assign(use, { isReturned: true, returnedWith: error }),
      };
    },
  };
  return {
    uses,
    pool,
    sent: () => uses.map(({ sent }) => sent.map(({ name, value }) => `${name} ${String(value)}`)),
    queue: createReadQueue(pool as never, size),
  };
}

const ticks = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
const statement = (name: string, value: unknown) => ({ name, text: '', values: [value] });

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

describe('reads that wait for a connection', () => {
  it('are sent together over the next free connections, and each gets its own answer', async () => {
    const { queue, uses, sent } = fakePool(2);
    const reads = Promise.all(numbers(40).map(async (n) => await queue.read(statement('one', n))));
    await ticks();
    const lengths = (): number[] => sent().map(({ length }) => length);
    expect([lengths(), queue.waiting()]).toEqual([[1, 1], 38]);
    const answer = async (use: number): Promise<void> => {
      for (const one of uses[use]?.sent ?? []) one.answer();
      await ticks();
    };
    await answer(0);
    expect([lengths(), queue.waiting()]).toEqual([[1, 1, 16], 22]);
    await answer(1);
    expect([lengths(), queue.waiting()]).toEqual([[1, 1, 16, 11], 11]);
    expect(uses.map(({ isReturned }) => isReturned)).toEqual([true, true, false, false]);
    for (let use = 2; use < uses.length; use += 1) await answer(use);
    expect(lengths()).toEqual([1, 1, 16, 11, 6, 3, 1, 1]);
    expect(await reads).toEqual(numbers(40).map((value) => [{ value }]));
  });

  it('are sent together only if they are of the same statement, so none waits behind a slow statement', async () => {
    const { queue, uses, sent } = fakePool(2);
    const slow = queue.read(statement('slow', 1));
    const quick = Promise.all(numbers(5).map(async (n) => await queue.read(statement('quick', n))));
    const other = queue.read(statement('other', 1));
    for (let use = 1; use <= 5; use += 1) {
      await ticks();
      for (const { answer } of uses[use]?.sent ?? []) answer();
    }
    expect(await quick).toEqual(numbers(5).map((value) => [{ value }]));
    expect(await other).toEqual([{ value: 1 }]);
    // The statements take turns.
    expect(sent()).toEqual([['slow 1'], ['quick 1'], ['quick 2', 'quick 3'], ['other 1'], ['quick 4'], ['quick 5']]);
    expect(uses[0]?.isReturned).toBe(false);
    uses[0]?.sent[0]?.answer();
    expect(await slow).toEqual([{ value: 1 }]);
  });

  it('fail alone, and their connection is given up', async () => {
    const { queue, uses } = fakePool(1);
    const reads = Promise.allSettled(numbers(4).map(async (n) => await queue.read(statement('one', n))));
    await ticks();
    uses[0]?.sent[0]?.answer();
    await ticks();
    const [second, third, fourth] = uses[1]?.sent ?? [];
    second?.answer();
    third?.fail();
    fourth?.answer();
    expect((await reads).map((read) => (read.status === 'fulfilled' ? read.value : String(read.reason)))).toEqual([
      [{ value: 1 }],
      [{ value: 2 }],
      'Error: no 3',
      [{ value: 4 }],
    ]);
    await ticks();
    expect(uses[1]).toMatchObject({ isReturned: true, returnedWith: new Error('no 3') });
  });

  it('fail if there is no connection, and later reads work', async () => {
    const { queue, uses, pool } = fakePool(1);
    pool.isAway = true;
    const reads = Promise.allSettled(numbers(20).map(async (n) => await queue.read(statement('one', n))));
    expect((await reads).map(({ status }) => status)).toEqual(numbers(20).map(() => 'rejected'));
    pool.isAway = false;
    const read = queue.read(statement('one', 21));
    await ticks();
    uses[0]?.sent[0]?.answer();
    expect(await read).toEqual([{ value: 21 }]);
  });
});

let w: World;
let db: Database;
beforeAll(async () => {
  w = await openWorld();
  db = await connectDatabase({ url: w.url, entities, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await w.close();
});

const seenBy = async (accountId: string, divisor = 1): Promise<unknown[]> =>
  await db.read(accountId, {
    name: 'account_and_quotient',
    text: 'select id::text as id, 6 / $1::int as quotient from account',
    values: [divisor],
  });

it('reads of many accounts over one connection each see the rows of their own account', async () => {
  const accounts: string[] = [];
  for (let n = 0; n < 10; n += 1) accounts.push(await w.account());
  const asked = numbers(5).flatMap(() => accounts);
  const seen = await Promise.all(asked.map(async (id) => await seenBy(id)));
  expect(seen).toEqual(asked.map((id) => [{ id, quotient: 6 }]));
});

it('a read that PostgreSQL refuses fails alone among those that are sent with it', async () => {
  const id = await w.account();
  const reads = await Promise.allSettled([1, 0, 2].map(async (divisor) => await seenBy(id, divisor)));
  expect(reads.map((read) => (read.status === 'fulfilled' ? read.value : String(read.reason)))).toEqual([
    [{ id, quotient: 6 }],
    'error: division by zero',
    [{ id, quotient: 3 }],
  ]);
  expect(await seenBy(id)).toEqual([{ id, quotient: 6 }]);
});

it('a second text under the name of a statement is refused, also by a connection that has not prepared the first', async () => {
  const id = await w.account();
  const read = async (text: string) => await db.read(id, { name: 'same', text, values: [] });
  expect(await read('select 1 as n')).toEqual([{ n: 1 }]);
  await expect(read('select 2 as n')).rejects.toThrow('Two statements have the name same.');
});

it('a list of one id is planned once for each session, and reads the rows that a longer list reads', async () => {
  const [own, also, other] = [await w.account(), await w.account(), await w.account()];
  const idsSeenBy = async (accountId: string, ids: readonly string[]): Promise<unknown[]> =>
    await db.read(accountId, {
      name: 'accounts_by_ids',
      text: 'select id::text as id, $2::int as n from account where id = any ($1::bigint[]) order by id',
      values: [ids, ids.length],
    });
  // PostgreSQL plans the first executions one by one, and then keeps one plan for all accounts and ids.
  for (let times = 0; times < 8; times += 1) {
    expect(await idsSeenBy(own, [own])).toEqual([{ id: own, n: 1 }]);
    expect(await idsSeenBy(own, [other])).toEqual([]);
    expect(await idsSeenBy(also, [also])).toEqual([{ id: also, n: 1 }]);
    expect(await idsSeenBy(also, [own, also, other])).toEqual([{ id: also, n: 3 }]);
    expect(await idsSeenBy(own, [])).toEqual([]);
  }
  const plans = await db.read(own, {
    name: 'kept_plans',
    text: `select name, generic_plans > 0 as "isKept" from pg_prepared_statements
           where name like 'accounts_by_ids%' order by name`,
    values: [],
  });
  expect(plans).toContainEqual({ name: 'accounts_by_ids_one_1', isKept: true });
});

it('the columns of a statement are described once for each connection, and again after they have changed', async () => {
  await w.owner.query('create table described (n int, at timestamptz, facts jsonb, name text)');
  await w.owner.query(`insert into described values (1, '2026-01-02T03:04:05Z', '{"a": 1}', null)`);
  const pool = new pg.Pool({ connectionString: w.url, max: 1, pipeline: true });
  let descriptions = 0;
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { readonly connection: EventEmitter };
    connection.on('rowDescription', () => (descriptions += 1));
  });
  const queue = createReadQueue(pool, 1);
  const read = async () =>
    await queue.read({ name: 'described', text: 'select * from described where n = $1', values: [1] });
  const row = { n: 1, at: new Date('2026-01-02T03:04:05Z'), facts: { a: 1 }, name: null };
  for (let times = 0; times < 3; times += 1) expect(await read()).toEqual([row]);
  expect(descriptions).toBe(1);
  expect(await Promise.all(numbers(20).map(read))).toEqual(numbers(20).map(() => [row]));
  expect(descriptions).toBe(1);
  await w.owner.query('alter table described drop column at');
  await expect(read()).rejects.toThrow('cached plan must not change result type');
  expect(await read()).toEqual([{ n: 1, facts: { a: 1 }, name: null }]);
  expect(descriptions).toBe(2);
  await pool.end();
});

it('the parsers of columns are looked up once for each connection, and one that fails makes only its read fail', async () => {
  const pool = new pg.Pool({ connectionString: w.url, max: 1, pipeline: true });
  const queue = createReadQueue(pool, 1);
  const read = async (text: string) =>
    await queue.read({ name: 'parsed', text: 'select $1::inet at, 7 as n, null as none', values: [text] });
  const { INET } = pg.types.builtins;
  const parse = pg.types.getTypeParser(INET);
  const lookUp = vi.spyOn(pg.types, 'getTypeParser');
  pg.types.setTypeParser(INET, (text) => {
    if (text === '10.0.0.9') throw new Error(`not read: ${text}`);
    return text;
  });
  try {
    const answers = await Promise.allSettled(['10.0.0.1', '10.0.0.9', '10.0.0.2'].map(read));
    expect(answers).toEqual([
      { status: 'fulfilled', value: [{ at: '10.0.0.1', n: 7, none: null }] },
      { status: 'rejected', reason: new Error('not read: 10.0.0.9') },
      { status: 'fulfilled', value: [{ at: '10.0.0.2', n: 7, none: null }] },
    ]);
    const lookUps = lookUp.mock.calls.length;
    for (const at of ['10.0.0.3', '10.0.0.4']) expect(await read(at)).toEqual([{ at, n: 7, none: null }]);
    // The connection of the read that failed was given up, so the next read looks them up once more.
    expect(lookUp.mock.calls.length - lookUps).toBe(3);
  } finally {
    pg.types.setTypeParser(INET, parse);
    lookUp.mockRestore();
    await pool.end();
  }
});
