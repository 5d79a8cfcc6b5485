import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { prepareStatements } from '../../src/platform/database/statements.ts';
import { seed } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
let owner: pg.Client;
beforeAll(async () => {
  s = await startServer();
  await seed(s);
  owner = new pg.Client({ connectionString: s.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.close();
});

/** Opens the database as a new process of the service does, with connections that have not made a query yet. */
async function openDatabase(options: { readonly poolSize?: number } = {}): Promise<Database & AsyncDisposable> {
  const db = await connectDatabase({ url: s.databaseUrl, entities, ...options });
  return Object.assign(db, { [Symbol.asyncDispose]: async () => await db.close() });
}

// Tables without a policy, and why they show nothing of an account.
const withoutPolicy: Readonly<Record<string, string>> = {
  installation: 'one row about the installation itself',
  invariant_comparison: 'one row about the installation; tenants may not read it',
  migration_phase: 'names of migrations; no role but the owner may read it',
  proof_key: 'the key of the installation that signs proofs, sealed; tenants may not read it',
  retention_due: 'instants of the installation, by kinds of what is deleted',
  mikro_orm_migrations: 'names of migrations; no role but the owner may read it',
};

it('every table has a forced policy, or a reason to have none', async () => {
  const { rows } = await owner.query<{ name: string; guarded: boolean; policies: string[] }>(`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as guarded,
      coalesce(array_agg(p.polname::text order by p.polname) filter (where p.polname is not null), '{}') as policies
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    left join pg_catalog.pg_policy p on p.polrelid = c.oid
    where c.relkind in ('r', 'p', 'v', 'm') group by c.oid order by 1`);
  const unguarded = rows
    .filter(({ guarded, policies }) => !guarded || !policies.includes('tenant'))
    .map(({ name }) => name);
  expect(unguarded).toEqual(Object.keys(withoutPolicy).sort());
  expect(rows.length).toBeGreaterThan(20);
});

it('the role of tenants sees nothing without an account, and nothing of another account', async () => {
  const { rows: tables } = await owner.query<{ name: string; column: string }>(`
    select c.relname as name, case when c.relname = 'account' then 'id' else 'account_id' end as column
    from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public' where c.relkind = 'r' and c.relrowsecurity`);
  await owner.query('begin');
  await owner.query('set local role interlock_app');
  for (const account of ['', '999999']) {
    await owner.query(`select set_config('app.account', $1, true)`, [account]);
    for (const { name } of tables)
      expect([name, (await owner.query(`select 1 from ${name}`)).rowCount]).toEqual([name, 0]);
  }
  await owner.query(`select set_config('app.account', $1, true)`, [s.accountId]);
  const seen = [];
  for (const { name } of tables) if ((await owner.query(`select 1 from ${name}`)).rowCount) seen.push(name);
  expect(seen).toEqual(
    expect.arrayContaining(['account', 'api_token', 'repository', 'pull_request', 'batch', 'event', 'proof']),
  );
  await expect(owner.query(`insert into account_user (account_id, email) values (999999, 'x@y.test')`)).rejects.toThrow(
    'row-level security',
  );
  await owner.query('rollback');
});

it('unique keys and foreign keys of tables with an account begin with the account', async () => {
  const { rows } = await owner.query<{ name: string }>(`
    select c.relname || '.' || x.conname as name from pg_constraint x join pg_class c on c.oid = x.conrelid
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    where x.contype in ('u', 'f') and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id')
      and (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum = x.conkey[1]) <> 'account_id'`);
  // These rows are found before the account is known: by a random text, or by the id of a GitHub App.
  expect(rows.map(({ name }) => name)).toEqual([
    'api_token.api_token_lookup_key',
    'preview_sandbox.preview_sandbox_slug_key',
    'github_app.github_app_webhook_path_key',
    'github_app.github_app_api_url_app_id_key',
    'github_app_setup.github_app_setup_link_digest_key',
    'github_app_setup.github_app_setup_state_digest_key',
    'user_session.user_session_digest_key',
    'sign_in_link.sign_in_link_digest_key',
    'embed_link.embed_link_digest_key',
    'terminal_sign_in.terminal_sign_in_digest_key',
  ]);
});

it('the first query of a process finds a row of its own account, and no row of another account', async () => {
  await using db = await openDatabase();
  const { rows } = await owner.query<{ id: string; name: string }>(
    'select id, name from repository where account_id = $1 order by id limit 1',
    [s.accountId],
  );
  const [{ id, name } = { id: '', name: '' }] = rows;
  expect(await db.load(s.accountId, RepositoryEntity, id)).toMatchObject({ id, name });
  expect(await db.load('999999', RepositoryEntity, id)).toBeNull();
  expect(await db.load(s.accountId, RepositoryEntity, '999999')).toBeNull();
});

it('a transaction whose first statement fails is rolled back, and the connection still works', async () => {
  await using db = await openDatabase({ poolSize: 1 });
  // A NUL in the account makes PostgreSQL refuse the message that begins the transaction.
  await expect(db.transaction('1\0', async () => {})).rejects.toThrow('invalid message format');
  await expect(db.transaction(s.accountId, async (tx) => await tx.query('select 1/0'))).rejects.toThrow('zero');
  const [row] = await db.transaction(
    s.accountId,
    async (tx) =>
      await tx.query<{ account: string; started: boolean }>(
        "select current_setting('app.account') as account, now() < clock_timestamp() as started",
      ),
  );
  expect(row).toEqual({ account: s.accountId, started: true });
});

it('a statement is planned once for each session, and the plan shows each account only its own rows', async () => {
  await using db = await openDatabase({ poolSize: 1 });
  const text = 'select id from account where id <> $1';
  const seenBy = async (accountId: string): Promise<unknown[]> =>
    await db.transaction(accountId, async (tx) => await tx.query(text, ['0']));
  // PostgreSQL plans the first executions one by one, and then keeps one plan for all accounts.
  for (let times = 0; times < 8; times += 1) {
    expect(await seenBy(s.accountId)).toEqual([{ id: s.accountId }]);
    expect(await seenBy('999999')).toEqual([]);
  }
  const prepared = await db.transaction(
    s.accountId,
    async (tx) =>
      await tx.query('select generic_plans > 0 as "isKept" from pg_prepared_statements where statement = $1', [text]),
  );
  expect(prepared).toEqual([{ isKept: true }]);
});

it('a statement with a list of one id is planned once for each session, and finds the same rows', async () => {
  await using db = await openDatabase({ poolSize: 1 });
  // PostgreSQL takes a list to be ten ids long. In a large table, a plan for a shorter list then seems to cost less.
  await owner.query('create table listed as select n as id from generate_series(1, 5000) n');
  await owner.query('create unique index on listed (id); analyze listed; grant select, update on listed to public');
  const statements = [
    'select id from listed where id = any ($1::bigint[])',
    'update listed set id = id where id = any ($1::bigint[])',
  ];
  const found = async (ids: readonly string[]): Promise<unknown[]> =>
    await db.transaction(s.accountId, async (tx) => {
      for (const text of statements) await tx.query(text, [ids]);
      return await tx.query(`${statements[0]} order by id`, [ids]);
    });
  for (let times = 0; times < 8; times += 1) {
    expect(await found(['7'])).toEqual([{ id: 7 }]);
    expect(await found(['7', '9'])).toEqual([{ id: 7 }, { id: 9 }]);
    expect(await found([])).toEqual([]);
  }
  const kept = await db.transaction(
    s.accountId,
    async (tx) =>
      await tx.query<{ statement: string }>(
        `select statement from pg_prepared_statements where statement like '%listed%' and generic_plans > $1 order by 1`,
        [0],
      ),
  );
  await owner.query('drop table listed');
  expect(kept.map(({ statement }) => statement)).toEqual(
    [`${statements[0]} order by id`, ...statements]
      .map((text) => text.replace('any ($1::bigint[])', '$1::bigint'))
      .sort(),
  );
});

it('the columns of a statement are described once for each session, and so is that it returns no rows', async () => {
  const pool = new pg.Pool({ connectionString: s.databaseUrl, max: 1 }).on('connect', prepareStatements);
  let descriptions = 0;
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { readonly connection: EventEmitter };
    for (const kind of ['rowDescription', 'noData']) connection.on(kind, () => (descriptions += 1));
  });
  const client = await pool.connect();
  await client.query('create temporary table described (n int)');
  for (let times = 0; times < 3; times += 1) {
    expect((await client.query('insert into described values ($1)', [times])).rowCount).toBe(1);
    expect((await client.query('select n from described where n = $1', [times])).rows).toEqual([{ n: times }]);
  }
  expect(descriptions).toBe(2);
  client.release();
  await pool.end();
});

it('a session that began before a migration reads the column that the migration added', async () => {
  await using db = await openDatabase({ poolSize: 1 });
  const columns = async (): Promise<string[]> => {
    const [row] = await db.transaction(
      s.accountId,
      async (tx) => await tx.query('select * from repository where account_id = $1 limit 1', [s.accountId]),
    );
    return Object.keys(row ?? {});
  };
  const before = await columns();
  await owner.query('alter table repository add column tried int');
  expect(await columns()).toEqual([...before, 'tried']);
  await owner.query('alter table repository drop column tried');
});
