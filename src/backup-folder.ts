// What a backup is: a folder with the database, the local host's repositories and the operator's files. `backup.json`
// is written last, so a folder without it is no backup.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopiedRepository } from './hosts/local/index.ts';
import { StartError } from './launcher/start-error.ts';
import type { Dump } from './platform/backup/dump.ts';

export interface BackupManifest {
  readonly format: 1;
  /** The version of Interlock that made it. */
  readonly version: string;
  /** The instant whose rows the backup has. The repositories may be newer. */
  readonly takenAt: string;
  readonly database: Dump;
  readonly repositories: readonly CopiedRepository[];
}

/** What a backup contains of the data directory, besides the repositories. Mirrors are cloned again instead. */
export const keptFiles = ['secrets.json', 'token', 'allowed_signers'] as const;
export const keptFolders = ['logs'] as const;

export const databaseFolder = (folder: string): string => join(folder, 'database');
export const dataFolder = (folder: string): string => join(folder, 'data');
export const manifestFile = (folder: string): string => join(folder, 'backup.json');

/**
 * The name of a backup in a folder of several: the instant at which it began. Sorted names are backups sorted by age.
 */
export function nameOfBackup(now: Date): string {
  return now
    .toISOString()
    .replaceAll(':', '-')
    .replace(/\.\d+Z$/, 'Z');
}

/** Which of the named backups are removed so that the newest `keep` stay. Other names are left alone. */
export function findExpired(names: readonly string[], keep: number): string[] {
  const backups = names.filter((name) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/.test(name)).toSorted();
  return backups.slice(0, Math.max(0, backups.length - keep));
}

/** Throws StartError if the folder holds no whole backup. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(manifestFile(folder), 'utf8').catch(() => null);
  if (text === null)
    throw new StartError(`${folder} holds no whole backup: it has no backup.json. Name another one by --from <dir>.`);
  const manifest = JSON.parse(text) as BackupManifest;
  if ((manifest.format as number) !== 1)
    throw new StartError(
      `The backup in ${folder} has the format ${String(manifest.format)}, which this version cannot read. Restore it with Interlock ${manifest.version}.`,
    );
  return manifest;
}
