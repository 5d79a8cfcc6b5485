// A unit of work sends statements whose answers nobody needs together with the next statement.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { bindValues } from '../../src/platform/database/bound-values.ts';
import { connectDatabase, type Database, type Transaction } from '../../src/platform/database.ts';
import { openWorld, type World } from '../events/world.ts';

let w: World;
let db: Database;
let accountId: string;
let repositoryId: string;
beforeAll(async () => {
  w = await openWorld();
  // One connection serves all transactions, so a connection that a failure spoils fails the next test.
  db = await connectDatabase({ url: w.url, entities, poolSize: 1 });
  accountId = await w.account();
  repositoryId = await w.repository(accountId);
});
afterAll(async () => {
  await db.close();
  await w.close();
});

const hash = 'update repository set configuration_hash = $3 where account_id = $1 and id = $2';
const refused = 'update repository set account_id = null where account_id = $1 and id = $2';

const sendHash = async (tx: Transaction, value: string): Promise<void> =>
  await tx.send(hash, [accountId, repositoryId, value]);
const sendRefused = async (tx: Transaction): Promise<void> => await tx.send(refused, [accountId, repositoryId]);
const readHash = async (): Promise<string | undefined> =>
  (
    await db.read<{ hash: string }>(accountId, {
      name: 'hash_of_repository',
      text: 'select configuration_hash as hash from repository where account_id = $1 and id = $2',
      values: [accountId, repositoryId],
    })
  )[0]?.hash;

const policyError = /violates row-level security policy/;

it('a statement that is sent without waiting is stored by the commit', async () => {
  await db.transaction(accountId, async (tx) => await sendHash(tx, 'alone'));
  expect(await readHash()).toBe('alone');
});

it('the next statement sees what was sent before it', async () => {
  const seen = await db.transaction(accountId, async (tx) => {
    await sendHash(tx, 'first');
    await sendHash(tx, 'second');
    return await tx.query<{ hash: string }>(
      'select configuration_hash as hash from repository where account_id = $1 and id = $2',
      [accountId, repositoryId],
    );
  });
  expect(seen).toEqual([{ hash: 'second' }]);
});

it('the next statement sees flushed changes of entities', async () => {
  const seen = await db.transaction(accountId, async (tx) => {
    const row = await tx.lock(RepositoryEntity, repositoryId, 'update');
    if (row === null) throw new Error('There is no repository.');
    row.configurationHash = 'of the entity';
    await tx.em.flush();
    return await tx.query<{ hash: string }>(
      'select configuration_hash as hash from repository where account_id = $1 and id = $2',
      [accountId, repositoryId],
    );
  });
  expect(seen).toEqual([{ hash: 'of the entity' }]);
});

it('if a sent statement fails, the next statement fails with its error, and nothing is stored', async () => {
  await sendHashAlone('before');
  const failed = db.transaction(accountId, async (tx) => {
    await sendHash(tx, 'lost');
    await sendRefused(tx);
    await tx.query('select 1 as one');
  });
  await expect(failed).rejects.toThrow(policyError);
  expect(await readHash()).toBe('before');
});

it('if the last statement of a transaction fails, the transaction fails, and no effect runs', async () => {
  await sendHashAlone('before');
  let hasRun = false;
  const failed = db.transaction(accountId, async (tx) => {
    tx.afterCommit(() => {
      hasRun = true;
    });
    await sendHash(tx, 'lost');
    await sendRefused(tx);
  });
  await expect(failed).rejects.toThrow(policyError);
  expect(hasRun).toBe(false);
  expect(await readHash()).toBe('before');
});

it('if the work fails, what was sent is not stored', async () => {
  await sendHashAlone('before');
  const failed = db.transaction(accountId, async (tx) => {
    await sendHash(tx, 'lost');
    await sendRefused(tx);
    throw new Error('The work failed.');
  });
  await expect(failed).rejects.toThrow('The work failed.');
  await expect(
    db.transaction(accountId, async () => {
      throw new Error('Nothing was sent.');
    }),
  ).rejects.toThrow('Nothing was sent.');
  expect(await readHash()).toBe('before');
});

it('a transaction in repeatable read sees the database as it was at its first statement', async () => {
  await sendHashAlone('before');
  const seen = await db.transaction(
    accountId,
    async (tx) => {
      await tx.query('select 1 as one');
      await w.owner.query(hash, [accountId, repositoryId, 'after']);
      return await tx.query<{ hash: string }>(
        'select configuration_hash as hash from repository where account_id = $1 and id = $2',
        [accountId, repositoryId],
      );
    },
    { asOf: 'start' },
  );
  expect(seen).toEqual([{ hash: 'before' }]);
});

it('a statement that one account sends changes no row of another account', async () => {
  await sendHashAlone('before');
  const other = await w.account();
  await db.transaction(other, async (tx) => await sendHash(tx, 'stolen'));
  expect(await readHash()).toBe('before');
});

it('a query after the end of its transaction is refused', async () => {
  let ended: Transaction | undefined;
  await db.transaction(accountId, async (tx) => {
    ended = tx;
    await tx.query('select 1 as one');
  });
  await expect(ended?.query('select 1 as one')).rejects.toThrow('after its end');
  await expect(ended?.send('select 1 as one')).rejects.toThrow('after its end');
});

it('statements that are made at once each get their own answer', async () => {
  const seen = await db.transaction(
    accountId,
    async (tx) =>
      await Promise.all(
        ['a', 'b', 'c'].map(async (value) => await tx.query<{ value: string }>('select $1::text as value', [value])),
      ),
  );
  expect(seen).toEqual([[{ value: 'a' }], [{ value: 'b' }], [{ value: 'c' }]]);
});

it('if one of the statements that are made at once fails, nothing is stored', async () => {
  await sendHashAlone('before');
  const failed = db.transaction(
    accountId,
    async (tx) =>
      await Promise.all([
        tx.query(hash, [accountId, repositoryId, 'lost']),
        tx.query(refused, [accountId, repositoryId]),
        tx.query('select $1::text as value', ['a']),
      ]),
  );
  await expect(failed).rejects.toThrow(policyError);
  expect(await readHash()).toBe('before');
});

it('after an error, all statements that were made at once fail with this error', async () => {
  const work = db.transaction(accountId, async (tx) => {
    const made = [
      tx.query(refused, [accountId, repositoryId]),
      tx.query('select 1 as one'),
      tx.query('select 2 as two'),
    ];
    const errors = (await Promise.allSettled(made)).map((outcome) =>
      outcome.status === 'rejected' ? String(outcome.reason) : '',
    );
    expect(errors).toEqual(Array(3).fill(expect.stringMatching(policyError)));
    throw new Error('The errors were compared.');
  });
  await expect(work).rejects.toThrow('The errors were compared.');
  // The next transaction on the same connection fails with its own error.
  const next = db.transaction(accountId, async (tx) => await tx.query('select 1 / 0 as failing'));
  await expect(next).rejects.toThrow('division by zero');
});

const byId = { column: 'id', orderBy: 'id' };

it('a change of a row that was found together with other statements is written by the commit', async () => {
  await sendHashAlone('before');
  await db.transaction(accountId, async (tx) => {
    const [locked, [found]] = await Promise.all([
      tx.lock(RepositoryEntity, repositoryId, 'update'),
      tx.find(RepositoryEntity, { ...byId, ids: [repositoryId], also: "configuration_hash = 'before'" }),
      tx.query('select 1 as one'),
    ]);
    expect(found).toBe(locked);
    if (found !== undefined) found.configurationHash = 'found';
  });
  expect(await readHash()).toBe('found');
});

it('a change of a row that was loaded is not written', async () => {
  await sendHashAlone('before');
  await db.transaction(accountId, async (tx) => {
    const [loaded] = await tx.loadAll(RepositoryEntity, { ...byId, ids: [repositoryId] });
    expect(loaded?.configurationHash).toBe('before');
    if (loaded !== undefined) loaded.configurationHash = 'loaded';
  });
  expect(await readHash()).toBe('before');
});

it('a row of another account is not found', async () => {
  const other = await w.account();
  const found = await db.transaction(other, async (tx) => [
    ...(await tx.find(RepositoryEntity, { ...byId, ids: [repositoryId] })),
    ...(await tx.loadAll(RepositoryEntity, { ...byId, ids: [repositoryId] })),
  ]);
  expect(found).toEqual([]);
});

async function sendHashAlone(value: string): Promise<void> {
  await db.transaction(accountId, async (tx) => await sendHash(tx, value));
}

it('a changed entity is stored by a prepared statement, and its values are parameters', async () => {
  const value = `it's "what?", $1 \\ and \\\\ — {a,b}`;
  const statements = await db.transaction(accountId, async (tx) => {
    const row = await tx.lock(RepositoryEntity, repositoryId, 'update');
    if (row !== null) row.configurationHash = value;
    await tx.em.flush();
    return await tx.query<{ statement: string }>(
      `select statement from pg_prepared_statements where statement like 'update "repository" set "configuration_hash"%'`,
    );
  });
  expect(statements).toEqual([{ statement: 'update "repository" set "configuration_hash" = $1 where "id" = $2' }]);
  expect(await readHash()).toBe(value);
});

it.each<[string, string, readonly unknown[], readonly unknown[] | null]>([
  ['each value', 'update "a" set "b" = ?, "c" = ? where "id" = ?', ['?', null, 7], ['?', null, 7]],
  ['JSON', 'insert into "a" ("b") values (?)', [{ c: [1] }], ['{"c":[1]}']],
  ['a list, which MikroORM writes as several values', 'update "a" set "b" = ? where "id" in (?)', [1, [2, 3]], null],
  ['a placeholder of a name', 'update "a" set ?? = ?', ['b', 1], null],
  ['an operator with a question mark', 'update "a" set "b" = ? where "c" \\? ?', [1, 'd'], null],
  ['a statement that stores no row', 'select set_config(?, ?, true)', ['app.account', '1'], null],
])('what is sent as parameters: %s', (_, text, values, bound) => {
  expect(bindValues(text, values)?.values ?? null).toEqual(bound);
});

it('the parameters of a statement are numbered from one', () => {
  expect(bindValues('update "a" set "b" = ? where "id" = ?', ['x', 7])?.text).toBe(
    'update "a" set "b" = $1 where "id" = $2',
  );
});
