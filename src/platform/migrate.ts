// Migrates a database to the newest schema. Migrations are plain SQL files. MikroORM's migrator runs each file once, in
// the order of the names, in a transaction of its own. If a migration fails or the process is killed, the earlier
// migrations and their phases stay, and the next run goes on from there.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { findIncompatible, parsePhase, type MigrationPhase } from './migration-phase.ts';
import { projectRoot, readVersion } from './project-root.ts';

// The advisory lock of migrations, so that servers and workers that start together do not migrate at the same time.
const migrationLock = 0x696e746c;

/**
 * How long a migration waits for a lock. All later sessions that use the table wait behind the migration, so this is
 * shorter than what a statement of the service waits for a lock.
 */
const lockTimeoutMs = 1_000;
const longestPauseMs = 15_000;

/**
 * Another version has migrated the database, and this version cannot run with its schema. Running this version's
 * migrations would fail or mix two schemas.
 */
export class UnknownMigrations extends Error {
  override readonly name = 'UnknownMigrations';
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(`The database has migrations that this version does not know: ${names.join(', ')}.`);
    this.names = names;
  }
}

interface MigrateOptions {
  /** The last migration to run. Default: all. */
  readonly to?: string;
  /** Called each time a migration did not get a lock, before a pause. Then the migration is tried again. */
  readonly onLockWait?: (migration: string) => void;
}

/**
 * Runs the migrations that the database lacks, up to and including `to`. If a newer version has run more
 * migrations and this version is compatible with them, nothing is changed. If this version is incompatible, throws
 * `UnknownMigrations` and changes nothing.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<void> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  try {
    await holder.query('select pg_advisory_lock($1)', [migrationLock]);
    await runMigrations(holder, databaseUrl, options);
  } finally {
    await holder.end();
  }
}

async function runMigrations(holder: pg.Client, databaseUrl: string, options: MigrateOptions): Promise<void> {
  const migrations = sqlMigrations();
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    logger: () => {},
    migrations: {
      migrationsList: migrations,
      snapshot: false,
      transactional: true,
      allOrNothing: false,
      disableForeignKeys: false,
    },
    pool: { min: 0, max: 1 },
  });
  try {
    const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
    const unknown = executed.filter((name) => migrations.every((known) => known.name !== name));
    if (unknown.length > 0) {
      const incompatible = findIncompatible(unknown, await readPhases(holder), readVersion());
      const isComplete = migrations.every(({ name }) => executed.includes(name));
      if (incompatible.length === 0 && isComplete) return;
      throw new UnknownMigrations(incompatible.length === 0 ? unknown : incompatible);
    }
    await runPending(orm.migrator, options);
  } finally {
    await orm.close(true);
  }
}

// A backup holds locks of all tables until its end. If a migration waited for such a lock, all requests that use the
// table would wait behind the migration.
async function runPending(migrator: MikroORM['migrator'], { to, onLockWait }: MigrateOptions): Promise<void> {
  let current = '';
  migrator.on('migrating', ({ name }) => {
    current = name;
  });
  for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      await (to === undefined ? migrator.up() : migrator.up({ to }));
      return;
    } catch (error) {
      if (!isLockFailure(error)) throw error;
    }
    onLockWait?.(current);
    await pause(pauseMs);
  }
}

/** A lock timeout, or a deadlock with another session. */
function isLockFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}

async function readPhases(holder: pg.Client): Promise<ReadonlyMap<string, MigrationPhase>> {
  const { rows: found } = await holder.query<{ exists: boolean }>(
    "select to_regclass('migration_phase') is not null as exists",
  );
  if (found[0]?.exists !== true) return new Map();
  const { rows } = await holder.query<{ name: string; unused_since: string | null }>('select * from migration_phase');
  return new Map(rows.map(({ name, unused_since: unusedSince }) => [name, { unusedSince }]));
}

/** The names of this version's migrations, in their order. */
export function knownMigrations(): string[] {
  return sqlMigrations().map(({ name }) => name);
}

type Execute = Migration['execute'];

function sqlMigrations(): {
  name: string;
  class: new (...input: ConstructorParameters<typeof Migration>) => Migration;
}[] {
  const folder = join(projectRoot, 'migrations');
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.replace(/\.sql$/, ''), sql: readFileSync(join(folder, file), 'utf8') }));
  return files.map(({ name, sql }, at) => ({
    name,
    class: class extends Migration {
      override async up(): Promise<void> {
        await this.execute(`set local lock_timeout = ${lockTimeoutMs}`);
        await this.execute(sql.replaceAll('?', '\\?'));
        await notePhases(async (...query) => await this.execute(...query), files.slice(0, at + 1));
      }
    },
  }));
}

/**
 * Writes the phases of these migrations into the database, where earlier versions read them, because they do not have
 * the newer files. Some migrations are older than the table of phases.
 */
async function notePhases(
  execute: Execute,
  migrations: readonly { readonly name: string; readonly sql: string }[],
): Promise<void> {
  const [found] = await execute("select to_regclass('migration_phase') is not null as exists");
  if (found?.['exists'] !== true) return;
  const phases = migrations.flatMap(({ name, sql }) => {
    const phase = parsePhase(sql);
    return phase === null ? [] : [{ name, unused_since: phase.unusedSince }];
  });
  await execute(
    `insert into migration_phase select * from json_populate_recordset(null::migration_phase, ?::json) on conflict do nothing`,
    [JSON.stringify(phases)],
  );
}
