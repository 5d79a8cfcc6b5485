// Makes the bare git repository of a repository, and repairs it after a process was killed.
import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { branchRef, completeAbandonedUpdates, removeStaleLocks } from '../git/index.ts';
import { HostRefused, type HostRepository } from '../port.ts';
import { type Installation, type LocalHostOptions, readDefaultBranch } from './installation.ts';

const ownDisk =
  'Each machine of this installation has a disk of its own (GITHUB_MIRRORS=own), so the other machines would not have this repository, and it would be lost with its machine. Use a repository at GitHub, or give all servers and workers one data directory and set GITHUB_MIRRORS=shared (data.mode: shared in the Helm chart).';

/** Why no repository can be made, and what to do about it. Null: repositories can be made. */
export function refusalOfRepositories({ hasOwnDisk = false }: LocalHostOptions): string | null {
  return hasOwnDisk ? ownDisk : null;
}

/**
 * Makes the git repository if it does not exist, and sets its default branch. Idempotent. Throws HostRefused if the
 * repository does not exist and this installation makes no repositories.
 */
export async function ensureRepository(
  installation: Installation,
  repository: HostRepository,
  options: { readonly defaultBranch: string },
): Promise<void> {
  const head = branchRef(options.defaultBranch);
  const directory = installation.directoryOf(repository);
  if (!(await exists(join(directory, 'HEAD')))) {
    const refusal = refusalOfRepositories(installation);
    if (refusal !== null) throw new HostRefused(refusal);
    await initialize(installation, directory, options.defaultBranch);
  }
  if ((await readDefaultBranch(installation, repository)) !== options.defaultBranch) {
    await installation.git.run(directory, ['symbolic-ref', 'HEAD', head]);
  }
  await installation.db.transaction(repository.accountId, async (tx) => {
    await tx.send('insert into local_repository (account_id, repository_id) values ($1, $2) on conflict do nothing', [
      repository.accountId,
      repository.id,
    ]);
  });
}

/**
 * Repairs a repository after processes were killed: completes half-done ref updates, and removes stale lock files.
 * `locksOlderThanMs` is 0 only at the start of the process tree that owns the data directory, because no git process of
 * Interlock can run then.
 */
export async function repairRepository(
  installation: Installation,
  repository: Pick<HostRepository, 'accountId' | 'id'>,
  locksOlderThanMs: number,
): Promise<void> {
  const directory = installation.directoryOf(repository);
  if (!(await exists(join(directory, 'HEAD')))) return;
  await removeStaleLocks(directory, locksOlderThanMs);
  await completeAbandonedUpdates(installation.git, directory);
}

export interface LocalRepository extends HostRepository {
  readonly hasOpenPullRequests: boolean;
}

/**
 * The repositories of this host in all accounts, without repositories that are still being made, and without inactive
 * repositories that have no folder, such as those that an operator gave up because they are lost.
 */
export async function findLocalRepositories(installation: Installation): Promise<LocalRepository[]> {
  const rows = await installation.db.system.query<LocalRepository & { readonly active: boolean }>(
    `select r.account_id::text as "accountId", r.id::text as id, r.owner, r.name, r.active,
       exists (select from local_pull_request p where p.account_id = r.account_id and p.repository_id = r.id
               and p.state = 'open') as "hasOpenPullRequests"
     from repository r join local_repository l on l.account_id = r.account_id and l.repository_id = r.id
     where r.deleted_at is null and (r.active or r.deactivated_at is not null) order by r.id`,
  );
  const found: LocalRepository[] = [];
  for (const { active, ...repository } of rows)
    if (active || (await hasFolder(installation, repository))) found.push(repository);
  return found;
}

const looked = 20;

/**
 * The names of the newest active repositories of the database, if the data directory has none of them. Empty: the data
 * directory has repositories of the database, there are none, or each machine has a data directory of its own. A folder
 * is made before its row, so a repository that is being made does not count as missing.
 */
export async function findMissingRepositories(installation: Installation): Promise<readonly string[]> {
  if (installation.hasOwnDisk === true) return [];
  const newest = await readActiveRepositories(installation, looked);
  for (const repository of newest) if (await hasFolder(installation, repository)) return [];
  return newest.map(({ owner, name }) => `${owner}/${name}`);
}

/** All active repositories of the database that the data directory does not have. */
export async function findLostRepositories(installation: Installation): Promise<readonly HostRepository[]> {
  const lost: HostRepository[] = [];
  for (const repository of await readActiveRepositories(installation, null))
    if (!(await hasFolder(installation, repository))) lost.push(repository);
  return lost;
}

/** The newest active repositories of this host. `most` null: all of them. */
async function readActiveRepositories(installation: Installation, most: number | null): Promise<HostRepository[]> {
  return await installation.db.system.query<HostRepository>(
    `select r.account_id::text as "accountId", r.id::text as id, r.owner, r.name
     from repository r join local_repository l on l.account_id = r.account_id and l.repository_id = r.id
     where r.deleted_at is null and r.active order by r.id desc limit $1`,
    [most],
  );
}

async function hasFolder(installation: Installation, repository: HostRepository): Promise<boolean> {
  return await exists(join(installation.directoryOf(repository), 'HEAD'));
}

/** A new repository is made in a folder whose name is the final name, this suffix and a random id. */
export const newSuffix = '.new-';

// The repository is made in a folder with another name, which is renamed at the end. So no process sees a half-made
// repository.
async function initialize(installation: Installation, directory: string, defaultBranch: string): Promise<void> {
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const fresh = `${directory}${newSuffix}${randomUUID()}`;
  try {
    await installation.git.run(parent, [
      'init',
      '--quiet',
      '--bare',
      '--template=',
      `--initial-branch=${defaultBranch}`,
      fresh,
    ]);
    await rename(fresh, directory);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // The rename also fails if another process made the repository at the same time. Then there is no error.
    if (!(await exists(join(directory, 'HEAD')))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
