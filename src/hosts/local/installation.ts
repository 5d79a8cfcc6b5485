// What every part of the local host works with: where repositories lie, the database, git, and the way out for
// events. Repositories are bare, at `<dataDir>/git/<account>/<repository>.git`; their path has only ids, so a
// name a user chose never becomes a path.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../platform/database.ts';
import { type Committer, createGit, type Git } from '../git/index.ts';
import { HostRefused, type HostEvent, type HostRepository } from '../port.ts';

const defaultIdentity: Committer = { name: 'Interlock', email: 'interlock@users.noreply.local' };

export interface LocalHostOptions {
  readonly dataDir: string;
  readonly db: Database;
  /** Called after a change was stored. Must not throw. */
  readonly emit: (event: HostEvent) => void;
  /** Where users reach this installation, without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: () => Date;
  /** Who commits what Interlock makes here. Default: Interlock, without a signature. */
  readonly committer?: Committer | undefined;
}

export interface Installation extends LocalHostOptions {
  readonly git: Git;
  readonly committer: Committer;
  /** Public keys whose signatures count as verified, as `ssh-keygen` reads allowed signers. The operator's. */
  readonly signersFile: string;
  readonly directoryOf: (repository: Pick<HostRepository, 'accountId' | 'id'>) => string;
  /** Listeners of this process that want to hear of new check runs at once; others poll. */
  readonly onChecksQueued: Set<() => void>;
  /** Listeners of this process that run checks and can stop them at once; others see it in the row. */
  readonly onChecksCanceled: Set<(checkRunIds: readonly string[]) => void>;
}

export function openInstallation(options: LocalHostOptions): Installation {
  return {
    ...options,
    committer: options.committer ?? defaultIdentity,
    git: createGit(join(options.dataDir, 'git', 'gitconfig')),
    signersFile: join(options.dataDir, 'allowed_signers'),
    directoryOf: ({ accountId, id }) => join(options.dataDir, 'git', numeric(accountId), `${numeric(id)}.git`),
    onChecksQueued: new Set(),
    onChecksCanceled: new Set(),
  };
}

export function checkLogPath(dataDir: string, accountId: string, checkRunId: string): string {
  return join(dataDir, 'logs', numeric(accountId), `${numeric(checkRunId)}.log`);
}

/** The branch HEAD names. */
export async function readDefaultBranch(
  installation: Installation,
  repository: HostRepository,
): Promise<string | null> {
  const head = await readFile(join(installation.directoryOf(repository), 'HEAD'), 'utf8').catch(() => '');
  return /^ref: refs\/heads\/(\S+)$/m.exec(head)?.[1] ?? null;
}

function numeric(id: string): string {
  if (!/^[0-9]{1,19}$/.test(id)) throw new HostRefused(`${JSON.stringify(id)} is not an id`);
  return id;
}
