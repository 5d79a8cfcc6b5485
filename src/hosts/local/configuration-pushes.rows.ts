// Who pushed the commits that change the configuration file. git itself keeps no such record: the names in a commit are
// written by its author, and say nothing of the token that pushed it.
import { configurationPath } from '../../domain/configuration/index.ts';
import type { Database } from '../../platform/database.ts';
import { branchOf, branchRef, listFirstParents, readRefValue } from '../git/index.ts';
import type { ConfigurationPush, HostRepository } from '../port.ts';
import type { RefChange } from './changes.ts';
import { readDefaultBranch, type Installation } from './installation.ts';

const mostCommits = 1_000;

/** Before anybody hears of the push: whoever reads the file knows who pushed it. */
export async function recordConfigurationPushes(
  installation: Installation,
  repository: HostRepository,
  { changes, by, mayConfigure }: ConfigurationPush & { readonly changes: readonly RefChange[] },
): Promise<void> {
  const directory = installation.directoryOf(repository);
  const defaultBranch = await readDefaultBranch(installation, repository);
  const base = defaultBranch === null ? null : await readRefValue(directory, branchRef(defaultBranch));
  for (const { ref, from, to } of changes) {
    if (branchOf(ref) === null || to === null) continue;
    // What a new branch has from the default branch was pushed there.
    const left = branchOf(ref) === defaultBranch ? from : (from ?? base);
    const range = { from: left, to, limit: mostCommits, path: configurationPath };
    const commits = await listFirstParents(installation.git, directory, range);
    if (commits.length === 0) continue;
    await installation.db.transaction(repository.accountId, async (tx) => {
      await tx.query(
        `insert into local_configuration_push (account_id, repository_id, commit, ref, pushed_by, may_configure, pushed_at)
         select $1, $2, commit, $4, $5, $6, $7 from unnest($3::text[]) commit on conflict do nothing`,
        [repository.accountId, repository.id, commits, ref, by, mayConfigure, installation.clock().toISOString()],
      );
    });
  }
}

export async function findConfigurationPush(
  db: Database,
  repository: HostRepository,
  { commit, ref }: { readonly commit: string; readonly ref: string },
): Promise<ConfigurationPush | null> {
  const [push] = await db.read<ConfigurationPush>(repository.accountId, {
    name: 'configuration_push',
    text: `select pushed_by as by, may_configure as "mayConfigure" from local_configuration_push
           where account_id = $1 and repository_id = $2 and commit = $3
           order by ref = $4 desc, pushed_at desc limit 1`,
    values: [repository.accountId, repository.id, commit, ref],
  });
  return push ?? null;
}
