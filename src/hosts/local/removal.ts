// Removes the data of a deleted repository: its folder, the output of its checks, and its rows at the local host. Each
// step may run twice.
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { eraseRows } from '../../platform/erasure/index.ts';
import type { HostRepository } from '../port.ts';
import { checkLogPath, type Installation } from './installation.ts';
import { newSuffix } from './repositories.ts';

const atOnce = 5_000;

/** The tables in an order that their foreign keys allow. */
const tables = [
  'local_label_change',
  'local_thread',
  'local_comment',
  'local_review',
  'local_pull_request',
  'local_status_check',
  'local_branch_author',
  'local_configuration_push',
  'local_repository',
] as const;

export async function removeRepository(installation: Installation, repository: HostRepository): Promise<void> {
  await removeFolder(installation.directoryOf(repository));
  await removeDrafts(installation.directoryOf(repository));
  await removeChecks(installation, repository);
  await removeRows(installation, repository);
}

async function removeRows({ db }: Installation, { accountId, id }: HostRepository): Promise<void> {
  const where = 't.account_id = $1 and t.repository_id = $2';
  await eraseRows(
    async (text, values) => await db.transaction(accountId, async (tx) => await tx.query(text, values)),
    { unlinked: [], owned: tables.map((table) => ({ table, where, leaf: 'true' })) },
    [accountId, id],
  );
}

/** Removes the unfinished folders of processes that were killed while they made the repository. */
async function removeDrafts(directory: string): Promise<void> {
  const drafts = `${basename(directory)}${newSuffix}`;
  const found = await readdir(dirname(directory)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of found.filter((each) => each.startsWith(drafts)))
    await rm(join(dirname(directory), name), { recursive: true, force: true });
}

/** Renames the folder before it is removed, so that a git process that still runs finds no half-removed repository. */
async function removeFolder(directory: string): Promise<void> {
  const aside = `${directory}.removed`;
  await rm(aside, { recursive: true, force: true });
  await rename(directory, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(aside, { recursive: true, force: true, maxRetries: 3 });
}

/** The output files are removed before the rows, because the rows have the names of the files. */
async function removeChecks({ db, dataDir }: Installation, { accountId, id }: HostRepository): Promise<void> {
  for (;;) {
    const runs = await db.transaction(
      accountId,
      async (tx) =>
        await tx.query<{ id: string }>(
          `select id from local_check_run where account_id = $1 and repository_id = $2 order by id limit ${atOnce}`,
          [accountId, id],
        ),
    );
    for (const run of runs) await rm(checkLogPath(dataDir, accountId, run.id), { force: true });
    await db.transaction(accountId, async (tx) => {
      await tx.send('delete from local_check_run where account_id = $1 and id = any($2::bigint[])', [
        accountId,
        runs.map((run) => run.id),
      ]);
    });
    if (runs.length < atOnce) return;
  }
}
