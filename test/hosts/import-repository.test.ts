// `npm run import` imports a complete repository, or leaves neither rows nor a folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { importRepository, type ImportTarget } from '../../src/import-repository.ts';
import { removeDeletedRepositories } from '../../src/modules/repositories/index.ts';
import { readCatalogue } from '../../src/platform/erasure/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { accountOf } from '../accounts/account.ts';
import { asAdmin } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { commit, git, tip } from './commits.ts';

const name = { owner: 'acme', name: 'shop' };
let s: TestServer;
let target: ImportTarget;
let source: string;
/** The newest repository and all folders at the beginning of the test. */
let before: { readonly id: string; readonly folders: readonly string[] };
const hooks: (() => void)[] = [];

beforeAll(async () => {
  s = await startServer();
  target = { service: s.service, ctx: systemContext(s.ports, s.accountId), databaseUrl: s.databaseUrl };
  const kept = newSource();
  commit(kept, { branch: 'main', files: { 'kept.txt': 'kept\n' } });
  await importRepository(target, { owner: 'acme', name: 'kept' }, kept);
  rmSync(kept, { recursive: true });
});
afterAll(async () => await s.close());

beforeEach(async () => {
  source = newSource();
  commit(source, { branch: 'trunk', files: { 'a.txt': 'a\n' } });
  const [newest] = await s.rows<{ id: string }>('select max(id)::text as id from repository');
  before = { id: newest?.id ?? '', folders: await folders() };
});
afterEach(() => {
  for (const unhook of hooks.splice(0)) unhook();
  rmSync(source, { recursive: true, force: true });
});

function newSource(): string {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-source-'));
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=trunk');
  return folder;
}

const gitFolder = (): string => join(s.service.localHost.installation.dataDir, 'git', s.accountId);

const folders = async (): Promise<string[]> => (await readdir(gitFolder())).toSorted();

/** The new folders, and the tables with rows of a new repository, since the test began. */
async function leftovers(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name: table, columns } of (await readCatalogue(s.ports.db.system.query)).tables) {
    const column = table === 'repository' ? 'id' : 'repository_id';
    if (!columns.includes(column)) continue;
    const rows = await s.rows(`select 1 from ${table} where ${column} > $1 limit 1`, [before.id]);
    if (rows.length > 0) found.push(table);
  }
  return [...found, ...(await folders()).filter((folder) => !before.folders.includes(folder))];
}

function failAt(place: string): void {
  hooks.push(
    onFailpoint(place, async () => {
      throw new Error('The disk is broken.');
    }),
  );
}

const bring = async (): Promise<unknown> => await importRepository(target, name, source);

async function directory(): Promise<string> {
  const [row] = await s.rows<{ id: string }>(
    'select id from repository where owner = $1 and name = $2 and deleted_at is null',
    [name.owner, name.name],
  );
  return join(gitFolder(), `${row?.id}.git`);
}

async function remove(): Promise<void> {
  const account = accountOf(s);
  await account.run('setRepositoryActive', { repository: name, active: false }, 'repository { id }');
  await account.run('deleteRepository', { repository: name }, 'repository { id }');
}

it.each(['import:begun', 'import:made', 'import:fetched'])(
  'an import that fails at %s leaves nothing, and its name is free',
  async (place) => {
    failAt(place);
    await expect(bring()).rejects.toThrow('The disk is broken.');
    expect(await leftovers()).toEqual([]);
    hooks.splice(0).forEach((unhook) => unhook());
    expect(await bring()).toEqual({ defaultBranch: 'trunk', branches: 1, tags: 0 });
    expect(tip(await directory(), 'trunk')).toBe(tip(source, 'trunk'));
    await remove();
  },
);

it.each([
  ['a path that does not exist', '/nowhere/at/all', 'does not exist'],
  ['a folder that is not a repository', tmpdir(), 'could not be read'],
])('an import of %s leaves nothing', async (_what, from, message) => {
  await expect(importRepository(target, name, from)).rejects.toThrow(message);
  expect(await leftovers()).toEqual([]);
});

it('an import whose source is broken leaves nothing', async () => {
  const blob = git(source, 'rev-parse', 'trunk:a.txt');
  rmSync(join(source, 'objects', blob.slice(0, 2), blob.slice(2)));
  await expect(bring()).rejects.toThrow('could not be read');
  expect(await leftovers()).toEqual([]);
});

/** Runs an import whose process dies at the failpoint: its connection ends, its rows and its folder stay. */
async function dieAt(place: string): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const unhook = onFailpoint(place, async () => {
    arrived.resolve();
    await new Promise(() => {});
  });
  void bring();
  await arrived.promise;
  unhook();
  const database = new URL(s.databaseUrl).pathname.slice(1);
  await asAdmin(
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = 'interlock-import' and datname = '${database}'`,
  );
}

it.each(['import:begun', 'import:made', 'import:fetched'])(
  'the next import of the name removes what an import that died at %s left, and imports its own source completely',
  async (place) => {
    commit(source, { branch: 'of-the-first', files: { 'b.txt': 'b\n' } });
    await dieAt(place);
    await mkdir(`${await directory()}.new-1`);
    git(source, 'branch', '-D', 'of-the-first');
    expect(await bring()).toEqual({ defaultBranch: 'trunk', branches: 1, tags: 0 });
    expect(git(await directory(), 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/trunk');
    await remove();
    await expect.poll(folders).toEqual(before.folders);
  },
);

it('a removal that is interrupted is completed by a running Interlock', async () => {
  failAt('import:fetched');
  failAt('repository:removed_from_host');
  await expect(bring()).rejects.toThrow('The disk is broken.');
  expect(await leftovers()).toEqual(['repository']);
  hooks.splice(0).forEach((unhook) => unhook());
  await removeDeletedRepositories(s.ports);
  expect(await leftovers()).toEqual([]);
});

it('a failure after the import leaves an active repository, and the message says so', async () => {
  failAt('import:completed');
  await expect(bring()).rejects.toThrow('acme/shop is imported. A step after the import failed');
  const { data } = await s.graphql('{ repository(owner: "acme", name: "shop") { active defaultBranch } }');
  expect(data).toEqual({ repository: { active: true, defaultBranch: 'trunk' } });
  expect(tip(await directory(), 'trunk')).toBe(tip(source, 'trunk'));
  await remove();
});

it('of two imports with one name, the second is refused while the first runs', async () => {
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  hooks.push(
    onFailpoint('import:fetched', async () => {
      arrived.resolve();
      await gate.promise;
    }),
  );
  const first = bring();
  await arrived.promise;
  await expect(bring()).rejects.toThrow('Another import of acme/shop is under way. Wait for its end.');
  gate.resolve();
  expect(await first).toEqual({ defaultBranch: 'trunk', branches: 1, tags: 0 });
  await remove();
});

it('a repository that a user creates while it is imported is not removed', async () => {
  hooks.push(
    onFailpoint('import:fetched', async () => {
      await accountOf(s).run('createRepository', { ...name, host: 'LOCAL' }, 'repository { id }');
    }),
  );
  await expect(bring()).rejects.toThrow('A repository acme/shop already exists.');
  const { data } = await s.graphql('{ repository(owner: "acme", name: "shop") { active } }');
  expect(data).toEqual({ repository: { active: true } });
  await remove();
});

it('an inactive repository, or one of another host, is refused', async () => {
  await bring();
  await s.rows("update repository set host = 'github' where name = 'shop' and deleted_at is null");
  await expect(bring()).rejects.toThrow(
    'The repository acme/shop is not a repository of the local host. Name another repository.',
  );
  await s.rows("update repository set host = 'local' where name = 'shop' and deleted_at is null");
  await accountOf(s).run('setRepositoryActive', { repository: name, active: false }, 'repository { id }');
  await expect(bring()).rejects.toThrow('The repository acme/shop is inactive');
});
