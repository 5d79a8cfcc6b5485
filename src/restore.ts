// `npm run restore -- --from <dir>`: restores a backup into an empty database and an empty data directory.
import { cp, mkdir, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import pg from 'pg';
import color from 'picocolors';
import { databaseFolder, dataFolder, readManifest, type BackupManifest } from './backup-folder.ts';
import { calledAs, examplesOf, installationFlags } from './launcher/called-as.ts';
import { lockDataDirectory } from './launcher/access.ts';
import { openPostgres } from './launcher/parts.ts';
import { StartError } from './launcher/start-error.ts';
import { loadDump } from './platform/backup/load.ts';
import { knownMigrations, migrate } from './platform/migrate.ts';
import { parseArguments, printResult, progressOf, runTool } from './run-tool.ts';
import { callersFolder, countRepositories } from './tool.ts';

const program = new Command(calledAs('restore'))
  .description('Restores a backup into an empty data directory and an empty database.')
  .requiredOption('--from <dir>', 'the folder of a backup')
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
  .option('--json', 'one JSON document instead of text')
  .addHelpText('after', examplesOf('restore', '--from /var/backups/interlock/2026-11-23 --data .interlock-restored'));

interface Flags {
  readonly from: string;
  readonly data: string;
  readonly databaseUrl?: string;
  readonly json?: boolean;
}

async function main(): Promise<number> {
  parseArguments(program);
  const { from, data, databaseUrl, json } = program.opts<Flags>();
  const progress = progressOf({ json });
  const folder = resolve(callersFolder(), from);
  const dataDir = resolve(data);
  const manifest = await readManifest(folder);
  assertKnown(manifest, folder);
  const lock = await lockDataDirectory(dataDir);
  try {
    await assertEmpty(dataDir);
    const database = await openPostgres(databaseUrl, { dataDir, log: progress.say });
    try {
      await assertNoTables(database.url);
      await progress.part('Database', async () => await restoreDatabase(database.url, manifest, folder));
      await progress.part(
        'Repositories',
        async () => await cp(dataFolder(folder), dataDir, { recursive: true, preserveTimestamps: true }),
      );
    } finally {
      await database.stop();
    }
  } finally {
    await lock.release();
  }
  const { takenAt, repositories } = manifest;
  const flags = installationFlags({ data, databaseUrl });
  printResult({ json }, { dataDirectory: dataDir, takenAt, repositories: repositories.length }, [
    color.green(`Restored as of ${takenAt}: ${countRepositories(repositories)} in ${dataDir}`),
    `Repositories may be newer than the database. See what landed since: ${calledAs('recover')} ${flags}`,
  ]);
  return 0;
}

function assertKnown({ database, version }: BackupManifest, folder: string): void {
  const known = new Set(knownMigrations());
  const unknown = database.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new StartError(
      `The backup in ${folder} was made by a newer version: this version does not know its migration ${unknown.join(', ')}. Restore it with Interlock ${version} or newer.`,
    );
}

async function assertEmpty(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const found = (await readdir(dataDir)).filter((name) => name !== 'lock');
  if (found.length > 0)
    throw new StartError(
      `${dataDir} is not empty: it has ${found.slice(0, 3).join(', ')}. Name an empty directory by --data <dir>; a restore never replaces anything.`,
    );
}

async function assertNoTables(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select 1 from pg_tables where schemaname = current_schema() limit 1');
    if (rows.length > 0)
      throw new StartError(
        'The database has tables already. Name an empty database by --database-url (DATABASE_URL); a restore never replaces anything.',
      );
  } finally {
    await client.end();
  }
}

/** Migrates to the schema of the backup, loads the rows, and then runs the newer migrations. */
async function restoreDatabase(url: string, { database }: BackupManifest, folder: string): Promise<void> {
  const last = knownMigrations().findLast((name) => database.migrations.includes(name));
  if (last === undefined) throw new StartError('The backup names no migration.');
  await migrate(url, { to: last });
  await loadDump(url, database, databaseFolder(folder));
  await migrate(url);
}

runTool(main);
