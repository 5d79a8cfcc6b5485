// `npm run backup -- --to <dir>` copies the database and the repositories of the local host, while Interlock runs. The
// database is copied first, from one snapshot, so the repositories in the backup may be newer. `npm run recover`
// handles this difference after a restore.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import color from 'picocolors';
import { backUpTo, dataFolder, nameOfBackup, removeExpired } from './backup-folder.ts';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { assertGit } from './launcher/git-program.ts';
import { StartError } from './launcher/start-error.ts';
import { parseArguments, printResult, progressOf, runTool } from './run-tool.ts';
import { callersFolder, countRepositories, findDatabase } from './tool.ts';

const program = new Command(calledAs('backup'))
  .description('Copies the database and the repositories of the local host into a new folder. Interlock may run.')
  .addOption(new Option('--to <dir>', 'a folder that is empty or does not exist').conflicts(['into', 'keep']))
  .option('--into <dir>', 'a folder of backups, in which the name of the new backup is its instant')
  .addOption(new Option('--keep <n>', 'with --into: how many backups stay; default: all').argParser(keepOf))
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
  .option('--json', 'one JSON document instead of text')
  .addHelpText(
    'after',
    examplesOf('backup', '--to /var/backups/interlock/2026-11-23', '--into /var/backups/interlock --keep 7'),
  );

interface Flags {
  readonly to?: string;
  readonly into?: string;
  readonly keep?: number;
  readonly data: string;
  readonly databaseUrl?: string;
  readonly json?: boolean;
}

async function main(): Promise<number> {
  parseArguments(program);
  const { to, into, keep, data, databaseUrl, json } = program.opts<Flags>();
  const folder = folderOf(to, into);
  const dataDir = resolve(data);
  await assertGit();
  const database = await findDatabase(dataDir, databaseUrl);
  try {
    const progress = progressOf({ json });
    const {
      database: dump,
      repositories,
      takenAt,
    } = await backUpTo(folder, progress, { databaseUrl: database.url, dataDir });
    const rows = dump.tables.reduce((sum, table) => sum + table.rows, 0);
    const containsSecrets = existsSync(join(dataFolder(folder), 'secrets.json'));
    const removed =
      into === undefined || keep === undefined
        ? []
        : await removeExpired(dirname(folder), { keep, made: basename(folder) });
    printResult({ json }, { folder, takenAt, rows, repositories: repositories.length, containsSecrets, removed }, [
      color.green(`${rows} rows and ${countRepositories(repositories)} as of ${takenAt} in ${folder}`),
      containsSecrets
        ? 'The backup contains the secrets of this installation: keep it where you keep passwords.'
        : 'The backup does not contain INTERLOCK_SECRET: keep this secret elsewhere, because all tokens depend on it.',
      ...removed.map((name) => `Removed the backup ${name} (--keep ${keep}).`),
    ]);
    return 0;
  } finally {
    await database.stop();
  }
}

function folderOf(to: string | undefined, into: string | undefined): string {
  if (to !== undefined) return resolve(callersFolder(), to);
  if (into !== undefined) return resolve(callersFolder(), into, nameOfBackup(new Date()));
  throw new StartError('Name a new folder by --to <dir>, or a folder of backups by --into <dir>.', 'usage');
}

function keepOf(text: string): number {
  const keep = Number(text);
  if (Number.isInteger(keep) && keep > 0) return keep;
  throw new StartError(`--keep must be a number of backups, at least 1, not ${text}.`, 'usage');
}

runTool(main);
