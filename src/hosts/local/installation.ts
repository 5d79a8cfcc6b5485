// What every part of the local host needs: the paths of repositories, the database, git, and the receiver of host
// events. Repositories are bare, at `<dataDir>/git/<account>/<repository>.git`. These paths have only ids, so that a
// name chosen by a user never becomes a path.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../platform/database.ts';
import { type Committer, createGit, type Git } from '../git/index.ts';
import { HostRefused, type HostEvent, type HostRepository } from '../port.ts';

const defaultIdentity: Committer = { name: 'Interlock', email: 'interlock@users.noreply.local' };

export interface LocalHostOptions {
  readonly dataDir: string;
  readonly db: Database;
  /** Receives a host event after its change was stored. Must not throw. */
  readonly emit: (event: HostEvent) => void;
  /** The URL of this installation for users, without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: () => Date;
  /** The committer of the commits that Interlock makes. Default: `Interlock`, without a signature. */
  readonly committer?: Committer | undefined;
  /**
   * Whether every machine has a data directory of its own, which may be lost. No repository is then made, because the
   * other machines would not have it. Default: all processes have the same data directory, which is kept.
   */
  readonly hasOwnDisk?: boolean;
  /** How often the host looks whether repositories need packing. Null: they are not packed. Default: once an hour. */
  readonly packEveryMs?: number | null | undefined;
}

export interface Installation extends LocalHostOptions {
  readonly git: Git;
  readonly committer: Committer;
  /**
   * The path of a file with the public keys whose signatures count as verified, in the format of `ssh-keygen` for
   * allowed signers. The operator writes this file.
   */
  readonly signersFile: string;
  readonly directoryOf: (repository: Pick<HostRepository, 'accountId' | 'id'>) => string;
  /** Listeners in this process that are called when check runs were queued. Other processes poll the rows. */
  readonly onChecksQueued: Set<() => void>;
  /** Listeners in this process that cancel running checks at once. Other processes read the request from the rows. */
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

/** The branch of HEAD. Null: the repository does not exist. */
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
