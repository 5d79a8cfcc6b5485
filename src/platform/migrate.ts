// Brings a database to the newest schema. Migrations are plain SQL files, run in order of their names by
// MikroORM's migrator, each in a transaction, each once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { projectRoot } from './project-root.ts';

// Of the migrations alone: servers and workers that start together bring the schema up one after the other.
const migrationLock = 0x696e746c;

/** The database was made by another version: running the migrations here would fail in the middle, or mix two schemas. */
export class UnknownMigrations extends Error {
  override readonly name = 'UnknownMigrations';
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(`The database has migrations that this version does not know: ${names.join(', ')}.`);
    this.names = names;
  }
}

/** Throws `UnknownMigrations`, and then has changed nothing. */
export async function migrate(databaseUrl: string): Promise<void> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  try {
    await holder.query('select pg_advisory_lock($1)', [migrationLock]);
    await runMigrations(databaseUrl);
  } finally {
    await holder.end();
  }
}

async function runMigrations(databaseUrl: string): Promise<void> {
  const migrations = sqlMigrations();
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    logger: () => {},
    migrations: { migrationsList: migrations, snapshot: false, transactional: true, disableForeignKeys: false },
    pool: { min: 0, max: 1 },
  });
  try {
    const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
    const unknown = executed.filter((name) => migrations.every((known) => known.name !== name));
    if (unknown.length > 0) throw new UnknownMigrations(unknown);
    await orm.migrator.up();
  } finally {
    await orm.close(true);
  }
}

function sqlMigrations(): {
  name: string;
  class: new (...input: ConstructorParameters<typeof Migration>) => Migration;
}[] {
  const folder = join(projectRoot, 'migrations');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      name: file.replace(/\.sql$/, ''),
      class: class extends Migration {
        override async up(): Promise<void> {
          await this.execute(readFileSync(join(folder, file), 'utf8').replaceAll('?', '\\?'));
        }
      },
    }));
}
