// Making a bare repository exist, and keeping it whole.
import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { branchRef, completeAbandonedUpdates, removeStaleLocks } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import { type Installation, readDefaultBranch } from './installation.ts';

/** Idempotent; a repository that is there keeps its content. */
export async function ensureRepository(
  installation: Installation,
  repository: HostRepository,
  options: { readonly defaultBranch: string },
): Promise<void> {
  const head = branchRef(options.defaultBranch);
  const directory = installation.directoryOf(repository);
  if (!(await exists(join(directory, 'HEAD')))) await initialize(installation, directory, options.defaultBranch);
  if ((await readDefaultBranch(installation, repository)) !== options.defaultBranch) {
    await installation.git.run(directory, ['symbolic-ref', 'HEAD', head]);
  }
  await installation.db.transaction(repository.accountId, async (tx) => {
    await tx.query('insert into local_repository (account_id, repository_id) values ($1, $2) on conflict do nothing', [
      repository.accountId,
      repository.id,
    ]);
  });
}

/**
 * Clears what killed processes left: half-moved refs are completed, locks removed. `locksOlderThanMs` 0 is for the
 * start of the process tree that owns the data directory, when no git of ours can be alive.
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

/** Every repository of this host, of all accounts, except those that are still being made. */
export async function findLocalRepositories(installation: Installation): Promise<HostRepository[]> {
  const rows = await installation.db.system.query<{ account_id: string; id: string; owner: string; name: string }>(
    `select r.account_id::text as account_id, r.id::text as id, r.owner, r.name from repository r
     join local_repository l on l.account_id = r.account_id and l.repository_id = r.id
     where r.deleted_at is null and (r.active or r.deactivated_at is not null) order by r.id`,
  );
  return rows.map(({ account_id, id, owner, name }) => ({ accountId: account_id, id, owner, name }));
}

/** Of folders in which repositories are made. */
export const newSuffix = '.new-';

// Made aside and renamed, so that a repository is there whole or not at all.
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
    // Somebody else made it at the same time.
    if (!(await exists(join(directory, 'HEAD')))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
