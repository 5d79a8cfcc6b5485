// What follows when refs have moved, by a user or by the service: heads of pull requests, checks, and word to the
// outside. Each step may run twice; what a killed process left out is caught up by the reconciler.
import { branchOf, isAncestor, isBotBranch, isObjectId, listFirstParents } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import { decideCiPriority, queueChecks, readCiBranches } from './ci.ts';
import type { Installation } from './installation.ts';
import { findOpenPullRequests, markClosed, markMerged, setHead, type PullRequestRow } from './pull-requests.rows.ts';

export interface RefChange {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** `push`: by a user, which may also merge pull requests, as a base that has come to contain their heads. */
export async function followRefChanges(
  installation: Installation,
  repository: HostRepository,
  { changes, by }: { readonly changes: readonly RefChange[]; readonly by: 'push' | 'service' },
): Promise<void> {
  // Only the service moves bot branches here, and it records what it does: it needs no hint about them.
  const isNews = (branch: string | null): boolean => by === 'push' || branch === null || !isBotBranch(branch);
  const open = await findOpenPullRequests(installation.db, repository);
  const changed = new Set<number>();
  for (const change of changes) {
    const branch = branchOf(change.ref);
    if (branch === null) continue;
    for (const row of open.filter((candidate) => candidate.head_fork === null && candidate.head_branch === branch)) {
      if ((await followHead(installation, repository, { row, head: change.to })) && isNews(branch))
        changed.add(row.number);
    }
    if (by === 'push') {
      for (const number of await closeMergedByPush(installation, repository, {
        change,
        rows: open.filter((row) => row.base_branch === branch),
      }))
        changed.add(number);
    }
  }
  await queueChecksOf(installation, repository, changes);
  for (const { ref } of changes) if (isNews(branchOf(ref))) installation.emit({ kind: 'push', repository, ref });
  for (const number of changed) installation.emit({ kind: 'pull_request', repository, number });
}

async function followHead(
  installation: Installation,
  repository: HostRepository,
  { row, head }: { readonly row: PullRequestRow; readonly head: string | null },
): Promise<boolean> {
  if (head === null) return await markClosed(installation.db, repository, row.number);
  await setHead(installation.db, repository, { number: row.number, headSha: head });
  return true;
}

async function closeMergedByPush(
  installation: Installation,
  repository: HostRepository,
  { change: { from, to }, rows }: { readonly change: RefChange; readonly rows: readonly PullRequestRow[] },
): Promise<number[]> {
  if (to === null || from === null) return [];
  const directory = installation.directoryOf(repository);
  const merged: number[] = [];
  for (const row of rows) {
    // A head the base had before was merged by a landing that is not concluded yet: that is not this push's doing.
    const isNew =
      (await isAncestor(installation.git, directory, { ancestor: row.head_sha, descendant: to })) &&
      !(await isAncestor(installation.git, directory, { ancestor: row.head_sha, descendant: from }));
    if (!isNew) continue;
    const commit = await arrivalOf(installation, directory, row.head_sha, { from, to });
    if (await markMerged(installation.db, repository, { number: row.number, commit, at: installation.clock() }))
      merged.push(row.number);
  }
  return merged;
}

/** The oldest first-parent commit of a push that contains a head. */
async function arrivalOf(
  installation: Installation,
  directory: string,
  head: string,
  { from, to }: { from: string; to: string },
): Promise<string> {
  const line = await listFirstParents(installation.git, directory, { from, to, limit: 100 });
  let arrival = to;
  for (const commit of line) {
    if (!(await isAncestor(installation.git, directory, { ancestor: head, descendant: commit }))) break;
    arrival = commit;
  }
  return arrival;
}

async function queueChecksOf(
  installation: Installation,
  repository: HostRepository,
  changes: readonly RefChange[],
): Promise<void> {
  const moved = changes.filter(({ ref, to }) => branchOf(ref) !== null && to !== null && isObjectId(to));
  if (moved.length === 0) return;
  const branches = await readCiBranches(installation, repository);
  for (const { ref, to } of moved) {
    const priority = decideCiPriority(branchOf(ref) ?? '', branches);
    if (priority !== null && to !== null)
      await queueChecks(installation, repository, { commit: to, ref, priority, again: true });
  }
}
