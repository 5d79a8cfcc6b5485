// Compares refs with rows. So Interlock finds the changes that a killed process did not report, and changes that
// somebody made with git on the server.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { passFailpoint } from '../../platform/failpoints.ts';
import { type Loop, repeat } from '../../platform/repeat.ts';
import { branchOf, cheapestReadOfTimes, isStampTrue, listRefs, readRefsStamp, type RefsStamp } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import { followNotedPushes, followRefChanges } from './changes.ts';
import type { RefChange } from './push-notes.ts';
import { findCheckedCommits } from './check-runs.rows.ts';
import { decideCiPriority, queueChecks, readCiBranches } from './ci.ts';
import type { Installation } from './installation.ts';
import { findOpenPullRequests } from './pull-requests.rows.ts';
import { findLocalRepositories, type LocalRepository, repairRepository } from './repositories.ts';

const staleLockMs = 60_000;

/**
 * The branch tips that this process read last, by repository id. The first comparison of a repository reports every
 * branch.
 */
export type SeenTips = Map<string, ReadonlyMap<string, string>>;

export async function reconcileRepository(
  installation: Installation,
  repository: HostRepository,
  seen: SeenTips,
): Promise<void> {
  await repairRepository(installation, repository, staleLockMs);
  const refs = await listRefs(installation.directoryOf(repository), 'refs/heads/');
  await passFailpoint('reconcile:refs_read');
  const tips = new Map(refs.map(({ ref, commit }) => [ref, commit]));
  await followRefChanges(installation, repository, {
    changes: await movedHeads(installation, repository, tips),
    by: 'service',
  });
  await followNotedPushes(installation, repository, tips);

  const [branches, checked] = await Promise.all([
    readCiBranches(installation, repository),
    findCheckedCommits(installation.db, repository, [...tips.values()]),
  ]);
  for (const [ref, commit] of tips) {
    const priority = decideCiPriority(branchOf(ref) ?? '', branches);
    if (priority !== null && !checked.has(commit))
      await queueChecks(installation, repository, { commit, ref, priority, restartsCanceled: false });
  }
  const before = seen.get(repository.id);
  for (const [ref, commit] of tips) {
    if (before?.get(ref) !== commit) installation.emit({ kind: 'push', repository, ref });
  }
  seen.set(repository.id, tips);
}

async function movedHeads(
  installation: Installation,
  repository: HostRepository,
  tips: ReadonlyMap<string, string>,
): Promise<RefChange[]> {
  const changes = new Map<string, RefChange>();
  for (const row of await findOpenPullRequests(installation.db, repository)) {
    if (row.head_fork !== null) continue;
    const ref = `refs/heads/${row.head_branch}`;
    const tip = tips.get(ref) ?? null;
    if (tip !== row.head_sha) changes.set(ref, { ref, from: row.head_sha, to: tip });
  }
  return [...changes.values()];
}

/**
 * The times of the folders of refs, and the number of the newest comment. Comments and pull requests have no times of
 * their own, but a pull request can only change while it is open.
 */
export async function readIdleStamp(
  { db, directoryOf }: Installation,
  repository: HostRepository,
): Promise<string | null> {
  const refs = await readRefsStamp(directoryOf(repository), 2 * staleLockMs);
  if (refs === null) return null;
  const [row] = await db.read<{ open: boolean; comment: string | null }>(repository.accountId, {
    name: 'local_idle_stamp',
    text: `select exists (select from local_pull_request where account_id = $1 and repository_id = $2 and state = 'open') as open,
             (select max(sequence) from local_comment where account_id = $1 and repository_id = $2 and by_user)::text as comment`,
    values: [repository.accountId, repository.id],
  });
  return row === undefined || row.open ? null : `${refs.text} ${row.comment ?? '-'}`;
}

/** The last comparison of a repository that succeeded. */
interface Compared {
  /** The stamp before the comparison. */
  readonly stamp: RefsStamp;
  readonly at: number;
}

/** How often a repository is compared in which nothing seems to change, in milliseconds. */
const quietMs = 60 * 60_000;

/**
 * Compares every repository at once, and then every `everyMs` milliseconds. A repository without open pull requests
 * whose refs have not changed since its last comparison is left out for an hour. An error in one repository is reported
 * to `onError`, and the loop continues with the next.
 */
export function createReconciler(
  installation: Installation,
  { everyMs = 60_000, onError }: { readonly everyMs?: number; readonly onError: (error: unknown) => void },
): Loop {
  const seen: SeenTips = new Map();
  const comparedOf = new Map<string, Compared>();
  const compare = async (repository: LocalRepository): Promise<void> => {
    // A lock becomes stale only after some time, so a repository that has just changed is compared again later.
    const stamp = await readRefsStamp(installation.directoryOf(repository), 2 * staleLockMs);
    comparedOf.delete(repository.id);
    await reconcileRepository(installation, repository, seen);
    if (stamp !== null) comparedOf.set(repository.id, { stamp, at: Date.now() });
  };
  const compareAll = async (signal: AbortSignal): Promise<void> => {
    const readTimes = await cheapestReadOfTimes(installation.dataDir);
    for (const repository of await findLocalRepositories(installation)) {
      if (signal.aborted) return;
      const last = repository.hasOpenPullRequests ? undefined : comparedOf.get(repository.id);
      const isQuiet =
        last !== undefined && Date.now() - last.at < quietMs && (await isStampTrue(last.stamp, readTimes));
      if (!isQuiet) await compare(repository).catch(onError);
      // Reads at once do not wait, so without this line nothing else would run until all repositories are read.
      await endOfTurn();
    }
  };
  return repeat(everyMs, compareAll, onError);
}
