// `npm run backup -- --to <dir>` copies the database and the repositories of the local host, while Interlock runs. The
// database is copied first, from one snapshot, so the repositories in the backup may be newer. `npm run recover`
// handles this difference after a restore.
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import color from 'picocolors';
import {
  databaseFolder,
  dataFolder,
  findExpiredBackups,
  copiedFiles,
  copiedFolders,
  manifestFile,
  nameOfBackup,
  type BackupManifest,
} from './backup-folder.ts';
import { copyRepository, gitOf, repositoryPath, type CopiedRepository } from './hosts/local/index.ts';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { assertGit } from './launcher/git-program.ts';
import type { Progress } from './launcher/progress.ts';
import { StartError } from './launcher/start-error.ts';
import { withSnapshot } from './platform/backup/dump.ts';
import { readVersion } from './platform/project-root.ts';
import { parseArguments, printResult, progressOf, runTool } from './run-tool.ts';
import { callersFolder, countRepositories, findDatabase, makeEmptyFolder } from './tool.ts';

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
  await makeEmptyFolder(folder, 'a backup');
  const database = await findDatabase(dataDir, databaseUrl);
  try {
    const progress = progressOf({ json });
    const {
      database: dump,
      repositories,
      takenAt,
    } = await backUp({ databaseUrl: database.url, dataDir, folder }, progress);
    const rows = dump.tables.reduce((sum, table) => sum + table.rows, 0);
    const containsSecrets = existsSync(join(dataFolder(folder), 'secrets.json'));
    const removed =
      into === undefined || keep === undefined ? [] : await removeExpired(resolve(callersFolder(), into), keep);
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

/**
 * Removes old backups. It is called when the new backup is complete. The age of a backup is the instant in its name, so
 * incomplete backups are removed too. Returns the names of the removed backups.
 */
async function removeExpired(folder: string, keep: number): Promise<readonly string[]> {
  const expired = findExpiredBackups(await readdir(folder), keep);
  for (const name of expired) await rm(join(folder, name), { recursive: true });
  return expired;
}

async function backUp(
  of: { readonly databaseUrl: string; readonly dataDir: string; readonly folder: string },
  progress: Progress,
): Promise<BackupManifest> {
  const { databaseUrl, dataDir, folder } = of;
  const { dump, listed, takenAt } = await progress.part(
    'Database',
    async () =>
      await withSnapshot(databaseUrl, async (snapshot) => {
        const [moment] = await snapshot.query<{ at: Date }>('select now() as at');
        const listed = await snapshot.query<CopiedRepository>(
          `select account_id::text as "accountId", repository_id::text as id from local_repository order by repository_id`,
        );
        return { dump: await snapshot.dump(databaseFolder(folder)), listed, takenAt: moment?.at.toISOString() ?? '' };
      }),
  );
  const repositories = await progress.part(
    'Repositories',
    async () => await copyRepositories(listed, dataDir, dataFolder(folder)),
  );
  await copyKept(dataDir, dataFolder(folder));
  const manifest: BackupManifest = { format: 1, version: readVersion(), takenAt, database: dump, repositories };
  await writeFile(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

async function copyRepositories(
  listed: readonly CopiedRepository[],
  from: string,
  to: string,
): Promise<readonly CopiedRepository[]> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const git = gitOf(from);
  const copied: CopiedRepository[] = [];
  try {
    for (const repository of listed) {
      const path = repositoryPath(repository);
      if (await copyRepository(git, join(from, path), join(to, path))) copied.push(repository);
    }
  } finally {
    await git.processes.stop();
  }
  return copied;
}

async function copyKept(from: string, to: string): Promise<void> {
  for (const name of [...copiedFiles, ...copiedFolders])
    if (existsSync(join(from, name))) await cp(join(from, name), join(to, name), { recursive: true });
}

runTool(main);
