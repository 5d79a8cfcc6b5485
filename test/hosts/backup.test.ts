// A restore brings back what a backup contains: every row, every ref, and proofs that still hold. An export contains
// everything of its owner except secrets.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backUpTo, readManifest, removeExpired } from '../../src/backup-folder.ts';
import { systemContext } from '../../src/context.ts';
import { exportTo, type ExportManifest } from '../../src/export-folder.ts';
import { createProgress, type Progress } from '../../src/launcher/progress.ts';
import { copyRepository, gitOf, repositoryPath } from '../../src/hosts/local/index.ts';
import { verifyRepository } from '../../src/modules/queue/index.ts';
import { findRepository } from '../../src/modules/repositories/index.ts';
import { withSnapshot, type Dump } from '../../src/platform/backup/dump.ts';
import { loadDump } from '../../src/platform/backup/load.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { createService } from '../../src/service.ts';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { world, type World } from '../support/world.ts';

let w: World;
let folder = '';
let empty: TestDatabase;
/** Signs in as a user who owns the empty database and is no superuser. */
let emptyUrl = '';
let dump: Dump;
const git = async (directory: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', ['--git-dir', directory, ...args])).stdout;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-backup-'));
  w = await world();
  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.queue(number);
  // Waits for the end of the landing too, because the export is compared with later rows.
  await w.settled(number);
  await w.until(async () => {
    const open = await w.rows(
      "select 1 from batch where cleaned_up_at is null union all select 1 from intent where state in ('planned', 'started')",
    );
    return open.length === 0;
  });
  // Characters, numbers and nulls that a format may damage.
  await w.service.ports.db.system.query(
    `update pull_request set title = E'a "quote", a back\\\\slash,\\na line and 𝄞\\u2028\\u2029', updated_at = '2026-01-01 00:00:00.123456+00'`,
  );
  dump = await withSnapshot(w.databaseUrl, async (snapshot) => await snapshot.dump(join(folder, 'database')));
  // The database is empty, so that the first migration runs in it.
  empty = await createTestDatabase('template0');
  emptyUrl = await giveAway(empty.url);
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await empty.drop();
  await rm(folder, { recursive: true, force: true });
});

const ownerName = `owner_${randomBytes(4).toString('hex')}`;

/** Gives the database an owner of its own, as docs/operations.md describes for a second installation on one server. */
async function giveAway(url: string): Promise<string> {
  const database = new URL(url);
  await asAdmin(`create role ${ownerName} login createrole password 'secret'`);
  await asAdmin(`alter database ${database.pathname.slice(1)} owner to ${ownerName}`);
  await asAdmin(`grant interlock_app, interlock_system to ${ownerName} with admin option`);
  database.username = ownerName;
  database.password = 'secret';
  return database.href;
}

it('every row, number and migration comes back, and so do the guards of the tables', async () => {
  await migrate(emptyUrl, { to: dump.migrations.toSorted().at(-1) ?? '' });
  await loadDump(emptyUrl, dump, join(folder, 'database'));
  const again = await withSnapshot(emptyUrl, async (snapshot) => await snapshot.dump(join(folder, 'again')));
  expect(again).toEqual(dump);
  expect(dump.tables.filter(({ rows }) => rows > 0).length).toBeGreaterThan(20);
  for (const { name } of dump.tables)
    expect([name, await rowsIn('again', name)]).toEqual([name, await rowsIn('database', name)]);
  expect(await guardsOf(emptyUrl)).toEqual(await guardsOf(w.databaseUrl));
});

/** The rows of a table in a backup, sorted. */
async function rowsIn(name: string, table: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('gzip', ['-dc', join(folder, name, `${table}.jsonl.gz`)], {
    maxBuffer: 1 << 28,
  });
  return stdout.split('\n').toSorted();
}

/** The triggers, foreign keys and row-level security of the tables. */
async function guardsOf(url: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<object>(
      `select c.relname, c.relrowsecurity, c.relforcerowsecurity,
       (select array_agg(k.conname::text || k.condeferrable::text || k.condeferred::text order by k.conname) from pg_constraint k where k.conrelid = c.oid) as keys,
       (select array_agg(t.tgname::text || t.tgenabled::text order by t.tgname) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers
     from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by 1`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

it('a copy of a repository has its refs, and its proofs hold in a restored installation', async () => {
  const dataDir = join(folder, 'data');
  const plumbing = gitOf(w.dataDir);
  const path = repositoryPath({ accountId: w.ctx.accountId, id: w.repositoryId });
  await writeFile(join(w.gitDir, 'refs', 'heads', 'main.lock'), '');
  expect(await copyRepository(plumbing, w.gitDir, join(dataDir, path))).toBe(true);
  expect(await copyRepository(plumbing, `${w.gitDir}.gone`, join(dataDir, 'gone'))).toBe(false);
  await plumbing.processes.stop();
  await rm(join(w.gitDir, 'refs', 'heads', 'main.lock'));
  expect(await git(join(dataDir, path), 'for-each-ref')).toBe(await git(w.gitDir, 'for-each-ref'));
  expect(await readFile(join(dataDir, path, 'HEAD'), 'utf8')).toBe(await readFile(join(w.gitDir, 'HEAD'), 'utf8'));

  await migrate(emptyUrl);
  const service = await createService({
    databaseUrl: emptyUrl,
    dataDir,
    publicUrl: 'http://localhost:4000',
    log: pino({ level: 'fatal' }),
    wake: async () => {},
    poolSize: 2,
  });
  try {
    const ctx = systemContext(service.ports, w.ctx.accountId);
    const repository = await findRepository(ctx, w.repository);
    if (repository === null) throw new Error('The repository is not in the restored database.');
    const progress: object[] = [];
    const [main] = await verifyRepository(ctx, repository, (state) => progress.push(state));
    expect(main).toMatchObject({ failures: [], pullRequests: 1 });
    // `npm run verify` shows how many of all commits are verified, at the end all of them.
    const all = main?.commits ?? 0;
    expect(progress).toEqual(Array.from({ length: all + 1 }, (_, done) => ({ baseBranch: 'main', done, all })));
    expect(all).toBeGreaterThan(0);
  } finally {
    await service.stop();
  }
});

it('a copy waits while a landing moves several refs', async () => {
  const plumbing = gitOf(w.dataDir);
  const notes = join(w.gitDir, 'interlock-updates');
  await cp(join(w.gitDir, 'HEAD'), join(notes, 'under-way.json'));
  let isCopied = false;
  const copying = copyRepository(plumbing, w.gitDir, join(folder, 'late')).then(() => (isCopied = true));
  const tip = (await git(w.gitDir, 'rev-parse', 'refs/heads/main')).trim();
  await git(w.gitDir, 'update-ref', 'refs/interlock/landings/999', tip);
  expect(isCopied).toBe(false);
  await rm(join(notes, 'under-way.json'));
  await copying;
  await plumbing.processes.stop();
  expect(await git(join(folder, 'late'), 'for-each-ref', 'refs/interlock/landings/999')).toContain(tip);
});

const quiet = createProgress(() => {});

it('a backup that fails leaves no folder behind, and does not push out an earlier one', async () => {
  const backups = join(folder, 'backups');
  const of = { databaseUrl: w.databaseUrl, dataDir: w.dataDir };
  const [first, failing, killed, last] = ['21', '22', '23', '24'].map((day) =>
    join(backups, `2026-11-${day}T03-00-00Z`),
  ) as [string, string, string, string];
  const made = await backUpTo(first, quiet, of);
  expect(await readManifest(first)).toEqual(made);
  const head = join(w.gitDir, 'objects');
  await rename(head, `${head}.away`);
  try {
    await expect(backUpTo(failing, quiet, of)).rejects.toThrow('git');
  } finally {
    await rename(`${head}.away`, head);
  }
  await mkdir(join(killed, 'database'), { recursive: true });
  expect(await removeExpired(backups, { keep: 1, made: basename(first) })).toEqual([]);
  expect(await readdir(backups)).toEqual([basename(first), basename(killed)]);
  await backUpTo(last, quiet, of);
  const removed = await removeExpired(backups, { keep: 1, made: basename(last) });
  expect(removed).toEqual([basename(first), basename(killed)]);
  await expect(backUpTo(last, quiet, of)).rejects.toThrow('is not empty');
  expect(await readManifest(last)).toMatchObject({ format: 1 });
});

it('a backup whose folder a later one has removed meanwhile fails, so that it does not push out the later one', async () => {
  const backups = join(folder, 'overlapping');
  const of = { databaseUrl: w.databaseUrl, dataDir: w.dataDir };
  const [slow, later] = ['2026-11-21T03-00-00Z', '2026-11-22T03-00-00Z'];
  await backUpTo(join(backups, later), quiet, of);
  const overtaken: Progress = {
    ...quiet,
    part: async (name, run) => {
      if (name === 'Repositories') expect(await removeExpired(backups, { keep: 1, made: later })).toEqual([slow]);
      return await quiet.part(name, run);
    },
  };
  await expect(backUpTo(join(backups, slow), overtaken, of)).rejects.toThrow('was removed while the backup was made');
  expect(await readdir(backups)).toEqual([later]);
});

it.each(['backup', 'export'])(
  'a failed %s says why, and empties a folder that existed and cannot be removed',
  async (what) => {
    const given = join(folder, `given-${what}`);
    await mkdir(given);
    const objects = join(w.gitDir, 'objects');
    await rename(objects, `${objects}.away`);
    try {
      const made =
        what === 'backup'
          ? backUpTo(given, quiet, { databaseUrl: w.databaseUrl, dataDir: w.dataDir })
          : exportOf(basename(given), {
              name: `${w.repository.owner}/${w.repository.name}`,
              account: await accountName(),
            });
      await expect(made).rejects.toThrow('git');
    } finally {
      await rename(`${objects}.away`, objects);
    }
    expect(await readdir(given)).toEqual([]);
  },
);

async function exportOf(
  to: string,
  of: { readonly name?: string; readonly account?: string },
): Promise<ExportManifest> {
  const { name, account } = of;
  return await exportTo(join(folder, to), quiet, { databaseUrl: w.databaseUrl, dataDir: w.dataDir, name, account });
}

async function accountName(): Promise<string> {
  const [account] = await w.rows<{ name: string }>('select name from account order by id');
  return account?.name ?? '';
}

async function exportedRows(to: string, table: string): Promise<Readonly<Record<string, unknown>>[]> {
  const text = await readFile(join(folder, to, 'rows', `${table}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

it('an export has every row of a repository and its commits', async () => {
  const { owner, name } = w.repository;
  const made = await exportOf('one', { name: `${owner}/${name}` });
  expect(JSON.parse(await readFile(join(folder, 'one', 'export.json'), 'utf8'))).toEqual(made);
  expect(made).toMatchObject({
    format: 1,
    repository: `${owner}/${name}`,
    repositories: [`repositories/${owner}/${name}.git`],
  });
  for (const table of made.tables) expect(await exportedRows('one', table.name)).toHaveLength(table.rows);
  const [{ count } = { count: 0 }] = await w.rows<{ count: number }>('select count(*)::int as count from event');
  expect(made.tables.find((table) => table.name === 'event')?.rows).toBe(count);
  expect(await exportedRows('one', 'pull_request')).toMatchObject([
    { title: 'a "quote", a back\\slash,\na line and 𝄞\u2028\u2029', status: 'merged' },
  ]);
  const copy = join(folder, 'one', 'repositories', owner, `${name}.git`);
  expect(await git(copy, 'for-each-ref')).toBe(await git(w.gitDir, 'for-each-ref'));
});

it('an export of an account leaves secrets out, and has no rows of other accounts', async () => {
  const name = await accountName();
  await w.rows(
    `with other as (insert into account (name) values ('others') returning id)
     insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
     select id, 'acme', 'shop', 'github', '', '' from other`,
  );
  await w.rows(
    `insert into webhook_endpoint (account_id, url, actions, secret, earlier_secrets, earlier_secrets_until, from_position, created_at, updated_at)
     select id, 'https://hooks.example.test/', '{*}', '\\x01', array['\\x02'::bytea], array[now()], 0, now(), now() from account where name = $1`,
    [name],
  );
  const made = await exportOf('all', { account: name });
  expect(made.repository).toBeNull();
  expect(made.tables.find((table) => table.name === 'webhook_endpoint')).toEqual({
    name: 'webhook_endpoint',
    rows: 1,
    withheld: ['earlier_secrets', 'previous_secret', 'secret'],
  });
  expect(Object.keys((await exportedRows('all', 'webhook_endpoint'))[0] ?? {})).not.toContain('earlier_secrets');
  expect(made.tables.find((table) => table.name === 'api_token')).toEqual({
    name: 'api_token',
    rows: 1,
    withheld: ['signing_key', 'token_hmac'],
  });
  expect(Object.keys((await exportedRows('all', 'api_token'))[0] ?? {})).not.toContain('token_hmac');
  expect(await exportedRows('all', 'account')).toMatchObject([{ name }]);
  expect(await exportedRows('all', 'repository')).toHaveLength(1);
  const others = await exportOf('others', { name: 'acme/shop', account: 'others' });
  expect(others.tables).toEqual([{ name: 'repository', rows: 1, withheld: [] }]);
  expect(others.repositories).toEqual([]);
});

it('an export that fails leaves no folder behind', async () => {
  const of = { name: `${w.repository.owner}/${w.repository.name}`, account: await accountName() };
  const objects = join(w.gitDir, 'objects');
  await rename(objects, `${objects}.away`);
  try {
    await expect(exportOf('failed', of)).rejects.toThrow('git');
  } finally {
    await rename(`${objects}.away`, objects);
  }
  expect(await readdir(folder)).not.toContain('failed');
  expect(await exportOf('failed', of)).toMatchObject({ format: 1 });
});

it.each([
  ['without an account', 'a', { name: 'acme/shop' }, 'There are several accounts. Name one: --account '],
  ['of an unknown account', 'b', { account: 'nobody' }, 'There is no account nobody.'],
  [
    'of an unknown repository',
    'c',
    { name: 'acme/none', account: 'others' },
    'There is no repository acme/none in the account others.',
  ],
  ['into a folder that is not empty', 'all', { account: 'others' }, 'is not empty. Name a new folder by --to <dir>'],
])('an export %s is refused', async (_what, to, of, message) => {
  await expect(exportOf(to, of)).rejects.toThrow(message);
});
