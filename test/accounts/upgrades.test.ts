// Servers and workers of two versions run beside each other during an upgrade. So a migration either only adds, or
// removes what the last release no longer used (docs/upgrading.md).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished, test } from 'vitest';
import { prepareSchema } from '../../src/launcher/parts.ts';
import { knownMigrations, migrate } from '../../src/platform/migrate.ts';
import { parsePhase } from '../../src/platform/migration-phase.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { earlierReleases, type Release } from '../support/releases.ts';
import { findBreaking, readSchema } from '../support/schema-changes.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const git = (...args: string[]): string => execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).trim();
const sqlOf = (name: string): string => readFileSync(join(projectRoot, 'migrations', `${name}.sql`), 'utf8');

/** The names and texts of the migrations of a release. */
function migrationsOf({ commit }: Release): Map<string, string> {
  return new Map(
    git('ls-tree', '--name-only', commit, 'migrations/')
      .split('\n')
      .map((path) => [path.replace(/^migrations\/(.*)\.sql$/, '$1'), git('show', `${commit}:${path}`)]),
  );
}

it('the last release can run on a database with each later migration', async () => {
  const all = earlierReleases(projectRoot);
  const last = all.at(-1);
  const released = last === undefined ? new Map<string, string>() : migrationsOf(last);
  const since = last === undefined ? [] : knownMigrations().filter((name) => !released.has(name));
  const present = new Set(knownMigrations());
  const edited = [...released]
    .filter(([name, sql]) => !present.has(name) || sqlOf(name).trim() !== sql)
    .map(([name]) => name);
  expect(edited).toEqual([]);
  expect(
    await judge(
      since,
      all.map(({ version }) => version),
    ),
  ).toEqual([]);
});

/** Applies one migration after another to a database of its own, and returns the faults of the migrations. */
async function judge(names: readonly string[], versions: readonly string[]): Promise<string[]> {
  const [first] = names;
  if (first === undefined) return [];
  const fresh = await createTestDatabase('template0');
  const reader = new pg.Client({ connectionString: fresh.url });
  try {
    await migrate(fresh.url, { to: knownMigrations()[knownMigrations().indexOf(first) - 1] ?? first });
    await reader.connect();
    const faults: string[] = [];
    for (const name of names) {
      const before = await readSchema(reader);
      await migrate(fresh.url, { to: name });
      faults.push(...faultsOf(name, findBreaking(before, await readSchema(reader, before)), versions));
    }
    return faults;
  } finally {
    await reader.end();
    await fresh.drop();
  }
}

function faultsOf(name: string, breaking: readonly string[], versions: readonly string[]): string[] {
  const phase = parsePhase(sqlOf(name));
  if (phase === null)
    return [`${name} must begin with "-- Phase: expand", or with "-- Phase: contract, unused since v…".`];
  if (phase.unusedSince === null) return breaking.map((sentence) => `${name} says that it only adds. ${sentence}`);
  return versions.includes(phase.unusedSince) ? [] : [`${name} names v${phase.unusedSince}, which was not released.`];
}

it('without tags, the dated sections of the changelog count as releases, but not that of the present commit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'releases-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const inFolder = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const commit = async (changes: string): Promise<string> => {
    await writeFile(join(folder, 'CHANGELOG.md'), changes);
    inFolder('add', '.');
    inFolder('-c', 'user.name=Ann', '-c', 'user.email=ann@acme.test', 'commit', '-q', '-m', 'Change');
    return inFolder('rev-parse', 'HEAD');
  };
  inFolder('init', '-q', '-b', 'main');
  await commit('# Changes\n\n## Unreleased\n');
  const first = await commit('# Changes\n\n## 1.9.0 (2026-01-02)\n');
  expect(earlierReleases(folder)).toEqual([]);
  await commit('# Changes\n\n## Unreleased\n\n## 1.9.0 (2026-01-02)\n');
  expect(earlierReleases(folder)).toEqual([{ version: '1.9.0', commit: first }]);
  const second = await commit('# Changes\n\n## 1.10.0 (2026-02-03)\n\n## 1.9.0 (2026-01-02)\n');
  expect(earlierReleases(folder)).toEqual([{ version: '1.9.0', commit: first }]);
  const afterBoth = '# Changes\n\n## Unreleased\n\n## 1.10.0 (2026-02-03)\n\n## 1.9.0 (2026-01-02)\n';
  await commit(afterBoth);
  expect(earlierReleases(folder)).toEqual([
    { version: '1.9.0', commit: first },
    { version: '1.10.0', commit: second },
  ]);
  // If there is a tag, only tags count, because the newest section may be that of a release that is not finished.
  inFolder('tag', 'v1.9.0', first);
  inFolder('tag', 'v1.10.0-rc.1', second);
  expect(earlierReleases(folder)).toEqual([{ version: '1.9.0', commit: first }]);
});

it('a migration without a phase is refused, and so is one that claims to only add but removes something', () => {
  expect(faultsOf('0001_installation', [], [])).toEqual([
    expect.stringContaining('0001_installation must begin with "-- Phase: expand"'),
  ]);
  expect(faultsOf('0030_migration_phases', [], [])).toEqual([]);
  expect(faultsOf('0030_migration_phases', ['a.b is gone.'], [])).toEqual([
    '0030_migration_phases says that it only adds. a.b is gone.',
  ]);
});

const table =
  "create table line (id bigint primary key, name text not null default '' constraint known check (name in ('', 'a', 'b')), note text); create function twice(n integer) returns integer language sql return n * 2;";
test.each([
  ['create table more (id bigint primary key, name text not null unique)', []],
  ['alter table line add column more text', []],
  ["alter table line add column more text not null default ''", []],
  ['create index line_name on line (name)', []],
  ['alter table line alter column name drop not null', []],
  [
    'create unique index line_name on line (name)',
    [
      'line.line_name refuses rows that were accepted: CREATE UNIQUE INDEX line_name ON public.line USING btree (name).',
    ],
  ],
  [
    'alter table line add column more text not null',
    ['line.more is new, and a row must name it: give it a default, or let it be null.'],
  ],
  ['alter table line drop column note', ['line.note is gone.']],
  ['alter table line alter column id type numeric', ['line.id was bigint, and is numeric.']],
  ['alter table line alter column name drop default', ['line.name had a default, and has none.']],
  ['alter table line alter column note set not null', ['line.note was null in some rows, and must not be null.']],
  [
    'alter table line add constraint short check (length(name) < 9)',
    ['line.short refuses rows that were accepted: CHECK ((length(name) < 9)).'],
  ],
  ['alter table line add column a text, add column b text, add check ((a is null) = (b is null))', []],
  ["alter table line add column a text not null default 'x', add check (a <> '')", []],
  [
    'alter table line add column a text, add constraint filled check (a is not null)',
    ['line.filled refuses rows that were accepted: CHECK ((a IS NOT NULL)).'],
  ],
  [
    'alter table line add column a text, add constraint either check ((a is null) = (note is null))',
    ['line.either refuses rows that were accepted: CHECK (((a IS NULL) = (note IS NULL))).'],
  ],
  ['alter table line add column a text unique', []],
  ['alter table line add column a bigint references line', []],
  [
    "alter table line add column a text unique default 'x'",
    ['line.line_a_key refuses rows that were accepted: CREATE UNIQUE INDEX line_a_key ON public.line USING btree (a).'],
  ],
  [
    'alter table line add column a bigint default 1 references line',
    ['line.line_a_fkey refuses rows that were accepted: FOREIGN KEY (a) REFERENCES line(id).'],
  ],
  [
    "alter table line drop constraint known; alter table line add constraint known check (name in ('', 'a', 'b', 'c'))",
    [],
  ],
  [
    "alter table line drop constraint known; alter table line add constraint known check (name in ('', 'a', 'c'))",
    ["line.known refuses rows that were accepted: CHECK ((name = ANY (ARRAY[''::text, 'a'::text, 'c'::text])))."],
  ],
  ['drop function twice(integer)', ['The function twice(integer) is gone.']],
])('the breaking changes of a statement are found: %s', async (statement, breaking) => {
  await client.query('begin');
  try {
    await client.query(table);
    const before = await readSchema(client);
    await client.query(statement);
    expect(findBreaking(before, await readSchema(client, before))).toEqual(breaking);
  } finally {
    await client.query('rollback');
  }
});

it('a database that a newer version has migrated can be used if the newer migrations only added', async () => {
  await prepareSchema(database.url, () => {});
  await client.query("insert into mikro_orm_migrations (name) values ('0990_later')");
  await expect(prepareSchema(database.url, () => {})).rejects.toThrow(
    'this version does not know its migration 0990_later',
  );
  await client.query("insert into migration_phase (name) values ('0990_later')");
  await prepareSchema(database.url, () => {});
  await client.query("insert into mikro_orm_migrations (name) values ('0991_less')");
  await client.query("insert into migration_phase (name, unused_since) values ('0991_less', '99.0.0')");
  await expect(prepareSchema(database.url, () => {})).rejects.toThrow(
    'this version does not know its migration 0991_less.',
  );
});
