// The folder of a backup. It has the database, the repositories of the local host, and some files of the data
// directory. `backup.json` is written last, so a folder without this file is not a complete backup.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopiedRepository } from './hosts/local/index.ts';
import { StartError } from './launcher/start-error.ts';
import type { Dump } from './platform/backup/dump.ts';

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
export const copiedFiles = ['secrets.json', 'token', 'allowed_signers'] as const;
export const copiedFolders = ['logs'] as const;

export const databaseFolder = (folder: string): string => join(folder, 'database');
export const dataFolder = (folder: string): string => join(folder, 'data');
export const manifestFile = (folder: string): string => join(folder, 'backup.json');

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

/** Returns the names of the backups to remove, so that the newest `keep` stay. Names of other files are ignored. */
export function findExpiredBackups(names: readonly string[], keep: number): string[] {
  const backups = names.filter((name) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/.test(name)).toSorted();
  return backups.slice(0, Math.max(0, backups.length - keep));
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
