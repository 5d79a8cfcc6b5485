// The folder of a backup. It has the database, the repositories of the local host, and some files of the data
// directory. `backup.json` is written last, so a folder without this file is not a complete backup.
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyRepository, gitOf, repositoryPath, type CopiedRepository } from './hosts/local/index.ts';
import type { Progress } from './launcher/progress.ts';
import { StartError } from './launcher/start-error.ts';
import { withSnapshot, type Dump } from './platform/backup/dump.ts';
import { readVersion } from './platform/project-root.ts';
import { makeEmptyFolder } from './tool.ts';

export interface BackupManifest {
  readonly format: 1;
  /** The version of Interlock that made the backup. */
  readonly version: string;
  /** The instant of the snapshot of the database. The repositories may be newer. */
  readonly takenAt: string;
  readonly database: Dump;
  readonly repositories: readonly CopiedRepository[];
}

/**
 * Files of the data directory that a backup contains besides the repositories. Mirrors are not in it, because they can
 * be cloned again.
 */
const copiedFiles = ['secrets.json', 'token', 'allowed_signers'] as const;
const copiedFolders = ['logs'] as const;

export const databaseFolder = (folder: string): string => join(folder, 'database');
export const dataFolder = (folder: string): string => join(folder, 'data');
const manifestFile = (folder: string): string => join(folder, 'backup.json');
/** The name of `backup.json` until the backup is complete. */
const unfinishedManifest = (folder: string): string => `${manifestFile(folder)}.new`;

/**
 * The name of a backup in a folder of backups: the instant at which the backup began. Sorting the names sorts the
 * backups by age.
 */
export function nameOfBackup(now: Date): string {
  return now
    .toISOString()
    .replaceAll(':', '-')
    .replace(/\.\d+Z$/, 'Z');
}

export interface FoundBackup {
  readonly name: string;
  readonly isComplete: boolean;
}

/**
 * Returns the names of the backups to remove, so that the newest `keep` complete ones stay. `made` is the newest. A
 * backup whose name is a later instant was made while a clock was wrong, so its age is unknown: it does not count, and
 * stays. Incomplete backups do not count either, and those that are older than every kept backup are removed too. Names
 * of other files are ignored.
 */
export function findExpiredBackups(
  found: readonly FoundBackup[],
  { keep, made }: { readonly keep: number; readonly made: string },
): string[] {
  const backups = found.filter(({ name }) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/.test(name));
  const earlier = backups.filter(({ name, isComplete }) => isComplete && name < made).map(({ name }) => name);
  const kept = [made, ...earlier.toSorted().toReversed()].slice(0, keep);
  return backups
    .filter(({ name }) => kept.length === keep && kept.every((other) => name < other))
    .map(({ name }) => name)
    .toSorted();
}

/** Removes old backups from the folder in which a backup was made. Returns the names of the removed backups. */
export async function removeExpired(
  folder: string,
  by: { readonly keep: number; readonly made: string },
): Promise<readonly string[]> {
  const names = await readdir(folder);
  const found = names.map((name) => ({ name, isComplete: existsSync(manifestFile(join(folder, name))) }));
  const expired = findExpiredBackups(found, by);
  for (const name of expired) await rm(join(folder, name), { recursive: true });
  return expired;
}

export interface BackedUp {
  readonly databaseUrl: string;
  readonly dataDir: string;
}

/**
 * Makes a backup in a folder that is empty or does not exist. If the backup fails, what it has written is
 * removed, so that it takes no space and the same command can be tried again.
 */
export async function backUpTo(folder: string, progress: Progress, of: BackedUp): Promise<BackupManifest> {
  const discard = await makeEmptyFolder(folder, 'a backup');
  try {
    return await backUp(folder, progress, of);
  } catch (error) {
    await discard();
    throw error;
  }
}

async function backUp(folder: string, progress: Progress, { databaseUrl, dataDir }: BackedUp): Promise<BackupManifest> {
  await writeFile(unfinishedManifest(folder), '', { mode: 0o600 });
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
  await writeManifest(folder, manifest);
  return manifest;
}

// A rename, because a manifest that is only half written would make the backup look complete. The file has been there
// since the backup began, unless a later backup has removed this folder as an old incomplete one. Then what was copied
// afterwards made the folder again, and it is no backup.
async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const written = unfinishedManifest(folder);
  await writeFile(written, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'r+' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new StartError(
        `${folder} was removed while the backup was made. Make one backup after the other: a later one with --keep removes incomplete ones.`,
      );
    },
  );
  await rename(written, manifestFile(folder));
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

/** Throws StartError if the folder has no complete backup. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(manifestFile(folder), 'utf8').catch(() => null);
  if (text === null)
    throw new StartError(
      `${folder} contains no complete backup: there is no backup.json. Name another backup by --from <dir>.`,
    );
  const manifest = JSON.parse(text) as BackupManifest;
  if ((manifest.format as number) !== 1)
    throw new StartError(
      `The backup in ${folder} has the format ${String(manifest.format)}, which this version cannot read. Restore it with Interlock ${manifest.version}.`,
    );
  return manifest;
}
