// Records who pushed the commits that change the configuration file. git keeps no such record: the author of a commit
// chooses the names in the commit, so these names do not show whose token pushed it.
import { configurationPath } from '../../domain/configuration/index.ts';
import type { Transaction } from '../../platform/database.ts';
import { branchOf, branchRef, listFirstParents, readFile, readRefValue } from '../git/index.ts';
import type { ConfigurationPush, HostRepository } from '../port.ts';
import type { RefChange } from './push-notes.ts';
import { readDefaultBranch, type Installation } from './installation.ts';

const maxCommits = 1_000;

interface Tip {
  readonly commit: string;
  readonly ref: string;
}

/**
 * Called before git moves branches. Records their new tips if the token of the push lacks config:write. Another process
 * may read the configuration file right after the move, and this process may be killed right after the move. Without
 * the record, the other process could not find the pusher. Returns the tips that were not on record before.
 */
export async function noteConfigurationPush(
  installation: Installation,
  repository: HostRepository,
  { changes, pusher }: { readonly changes: readonly RefChange[]; readonly pusher: ConfigurationPush },
): Promise<readonly Tip[]> {
  const tips = changes.flatMap(({ ref, to }) => (branchOf(ref) === null || to === null ? [] : [{ ref, commit: to }]));
  if (pusher.mayConfigure || tips.length === 0) return [];
  return await installation.db.transaction(
    repository.accountId,
    async (tx) => await insertPushes(installation, tx, { repository, pusher, tips }),
  );
}

/** Called after git has moved the refs. Replaces the noted tips by the commits that do change the file. */
export async function recordConfigurationPush(
  installation: Installation,
  repository: HostRepository,
  {
    changes,
    pusher,
    noted,
  }: { readonly changes: readonly RefChange[]; readonly pusher: ConfigurationPush; readonly noted: readonly Tip[] },
): Promise<void> {
  const tips = (
    await Promise.all(changes.map(async (change) => await findChanging(installation, repository, change)))
  ).flat();
  const isChanging = (tip: Tip): boolean => tips.some(({ commit, ref }) => commit === tip.commit && ref === tip.ref);
  const unneeded = noted.filter((tip) => !isChanging(tip));
  if (tips.length + unneeded.length === 0) return;
  await installation.db.transaction(repository.accountId, async (tx) => {
    await insertPushes(installation, tx, { repository, pusher, tips });
    await tx.send(
      `delete from local_configuration_push p using unnest($3::text[], $4::text[]) as tip (commit, ref)
       where p.account_id = $1 and p.repository_id = $2 and p.commit = tip.commit and p.ref = tip.ref`,
      [repository.accountId, repository.id, unneeded.map(({ commit }) => commit), unneeded.map(({ ref }) => ref)],
    );
  });
}

async function insertPushes(
  { clock }: Installation,
  tx: Transaction,
  {
    repository,
    pusher,
    tips,
  }: { readonly repository: HostRepository; readonly pusher: ConfigurationPush; readonly tips: readonly Tip[] },
): Promise<readonly Tip[]> {
  return await tx.query<Tip>(
    `insert into local_configuration_push (account_id, repository_id, commit, ref, pushed_by, may_configure, pushed_at)
     select $1, $2, commit, ref, $5, $6, $7 from unnest($3::text[], $4::text[]) as tip (commit, ref)
     on conflict do nothing returning commit, ref`,
    [
      repository.accountId,
      repository.id,
      tips.map(({ commit }) => commit),
      tips.map(({ ref }) => ref),
      pusher.by,
      pusher.mayConfigure,
      clock().toISOString(),
    ],
  );
}

/** The pushed commits of the first-parent line that change the configuration file. */
async function findChanging(
  installation: Installation,
  repository: HostRepository,
  { ref, from, to }: RefChange,
): Promise<readonly Tip[]> {
  if (branchOf(ref) === null || to === null) return [];
  const directory = installation.directoryOf(repository);
  const defaultBranch = await readDefaultBranch(installation, repository);
  const isDefault = branchOf(ref) === defaultBranch;
  const base = defaultBranch === null ? null : await readRefValue(directory, branchRef(defaultBranch));
  // Commits that another branch shares with the default branch were pushed to the default branch, and are left out. For
  // another branch, the search does not end at its old tip. If the branch is set back to a commit of a merged branch,
  // the old tip contains this commit, although the commit was not on the first-parent line before.
  const left = isDefault ? from : base;
  const range = { from: left, to, limit: maxCommits, path: configurationPath };
  const commits = await listFirstParents(installation.git, directory, range);
  if (isDefault && from !== null && (await isBroughtByMerge(installation, directory, { from, to, commits })))
    commits.unshift(to);
  return commits.map((commit) => ({ commit, ref }));
}

/** Whether the file differs between `from` and `to` although no commit of the first-parent line has changed it. */
async function isBroughtByMerge(
  { git }: Installation,
  directory: string,
  { from, to, commits }: { readonly from: string; readonly to: string; readonly commits: readonly string[] },
): Promise<boolean> {
  if (commits.length > 0) return false;
  const file = { path: configurationPath, maxBytes: Infinity };
  const [before, after] = await Promise.all(
    [from, to].map(async (commit) => (await readFile(git, directory, { ...file, commit }))?.blob),
  );
  return before !== after;
}

export async function findConfigurationPush(
  { db, git, directoryOf }: Installation,
  repository: HostRepository,
  { ref, since, tip }: { readonly ref: string; readonly since: string; readonly tip: string },
): Promise<ConfigurationPush | null> {
  const range = { from: since, to: tip, limit: maxCommits };
  const line = await listFirstParents(git, directoryOf(repository), range);
  const [push] = await db.read<ConfigurationPush>(repository.accountId, {
    name: 'configuration_push',
    text: `select p.pushed_by as by, p.may_configure as "mayConfigure"
           from unnest($3::text[]) with ordinality as line (commit, at)
           join local_configuration_push p on p.account_id = $1 and p.repository_id = $2 and p.commit = line.commit and p.ref = $4
           order by line.at limit 1`,
    values: [repository.accountId, repository.id, [...line, since], ref],
  });
  return push ?? null;
}
