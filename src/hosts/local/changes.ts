// Carries out what follows from moved refs: updates the heads of pull requests, queues checks, and emits host events.
// Each step may run twice. The reconciler carries out the steps that a killed process left out.
import {
  branchOf,
  isAncestor,
  isBotBranch,
  isObjectId,
  listFirstParents,
  readRefValue,
  type Git,
} from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import { decideCiPriority, queueChecks, readCiBranches } from './ci.ts';
import type { Installation } from './installation.ts';
import { findPushNotes, removePushNote, type RefChange } from './push-notes.ts';
import {
  findOpenPullRequests,
  findOpenPullRequestsOf,
  markClosed,
  markMerged,
  setHead,
  type PullRequestRow,
} from './pull-requests.rows.ts';

/**
 * `by: 'push'`: a user moved the refs. Such a push also merges every pull request whose head the base branch now
 * contains.
 */
export async function followRefChanges(
  installation: Installation,
  repository: HostRepository,
  { changes, by }: { readonly changes: readonly RefChange[]; readonly by: 'push' | 'service' },
): Promise<void> {
  // Interlock records its own moves of bot branches, so it needs no hint about them.
  const isNews = (branch: string | null): boolean => by === 'push' || branch === null || !isBotBranch(branch);
  const open =
    by === 'push'
      ? await findOpenPullRequests(installation.db, repository)
      : await findOpenPullRequestsOf(
          installation.db,
          repository,
          changes.flatMap(({ ref }) => branchOf(ref) ?? []),
        );
  const changed = new Set<number>();
  for (const change of changes) {
    const branch = branchOf(change.ref);
    if (branch === null) continue;
    for (const row of open.filter((candidate) => candidate.head_fork === null && candidate.head_branch === branch)) {
      if ((await followHead(installation, repository, { row, change })) && isNews(branch)) changed.add(row.number);
    }
    if (by === 'push') {
      for (const number of await closeMergedByPush(installation, repository, {
        change,
        rows: open.filter((row) => row.base_branch === branch),
      }))
        changed.add(number);
    }
  }
  try {
    await queueChecksOf(installation, repository, changes);
  } finally {
    // The refs have moved, also if git cannot read a file of checks.
    for (const { ref, from, to } of changes.filter(({ ref }) => isNews(branchOf(ref)))) {
      if (to === null && from !== null) installation.emit({ kind: 'deletion', repository, ref, commit: from });
      installation.emit({ kind: 'push', repository, ref });
    }
    for (const number of changed) installation.emit({ kind: 'pull_request', repository, number });
  }
}

async function followHead(
  installation: Installation,
  repository: HostRepository,
  { row, change: { ref, to } }: { readonly row: PullRequestRow; readonly change: RefChange },
): Promise<boolean> {
  if (to === null) {
    // The branch may have been pushed after the refs were read, and the pull request opened with it.
    if ((await readRefValue(installation.directoryOf(repository), ref)) !== null) return false;
    return await markClosed(installation.db, repository, row.number);
  }
  await setHead(installation.db, repository, { number: row.number, headSha: to });
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
    // If the base branch contained the head before the push, a landing merged it. `concludePullRequest` will record
    // this.
    const isNew =
      (await isAncestor(installation.git, directory, { ancestor: row.head_sha, descendant: to })) &&
      !(await isAncestor(installation.git, directory, { ancestor: row.head_sha, descendant: from }));
    if (!isNew) continue;
    const commit = await findMergeCommit(installation.git, directory, { head: row.head_sha, from, to });
    if (await markMerged(installation.db, repository, { number: row.number, commit, at: installation.clock() }))
      merged.push(row.number);
  }
  return merged;
}

/** Closes the pull requests that noted pushes have merged, and removes the notes of pushes that are carried out. */
export async function followNotedPushes(
  installation: Installation,
  repository: HostRepository,
  tips: ReadonlyMap<string, string>,
): Promise<void> {
  const directory = installation.directoryOf(repository);
  const notes = await findPushNotes(directory);
  if (notes.length === 0) return;
  const open = await findOpenPullRequests(installation.db, repository);
  for (const { path, changes, isOver } of notes) {
    const hasMoved = await Promise.all(
      changes.map(async (change) => await isCarriedOut(installation, directory, { change, tip: tips.get(change.ref) })),
    );
    for (const change of changes.filter((_, index) => hasMoved[index] === true)) {
      const rows = open.filter((row) => row.base_branch === branchOf(change.ref));
      for (const number of await closeMergedByPush(installation, repository, { change, rows }))
        installation.emit({ kind: 'pull_request', repository, number });
    }
    if (isOver || (changes.length > 0 && !hasMoved.includes(false))) await removePushNote(path);
  }
}

async function isCarriedOut(
  { git }: Installation,
  directory: string,
  { change: { from, to }, tip }: { readonly change: RefChange; readonly tip: string | undefined },
): Promise<boolean> {
  if (tip === undefined || to === null || tip === from) return false;
  return await isAncestor(git, directory, { ancestor: to, descendant: tip });
}

/** The oldest commit on the first-parent line of a push that contains a head. */
async function findMergeCommit(
  git: Git,
  directory: string,
  { head, from, to }: { readonly head: string; readonly from: string; readonly to: string },
): Promise<string> {
  const line = await listFirstParents(git, directory, { from, to, limit: 100 });
  let mergeCommit = to;
  for (const commit of line) {
    if (!(await isAncestor(git, directory, { ancestor: head, descendant: commit }))) break;
    mergeCommit = commit;
  }
  return mergeCommit;
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
      await queueChecks(installation, repository, { commit: to, ref, priority, restartsCanceled: true });
  }
}
