// Chooses the pull request that gets a commit of a runbook.
import { isLive } from '../../../domain/runbooks/runbook.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RunbookPullRequestEntity, type RunbookStepRow } from '../runbooks.entities.ts';
import { leafOf, placeOf, pullRequestOf, readRows, type RunbookRows } from './runbook.rows.ts';

/**
 * Gives each commit that is not pushed yet a new place if its pull request has been merged or closed, because such a
 * pull request gets no more commits. The caller locks the runbook's row. Returns the rows as they are then.
 */
export async function placeCommitsAgain(tx: Transaction, rows: RunbookRows): Promise<RunbookRows> {
  const moved = rows.commits.filter(
    ({ state, pullRequestId }) => state === 'made' && !isLive(pullRequestOf(rows, pullRequestId)),
  );
  if (moved.length === 0) return rows;
  for (const commit of moved)
    commit.pullRequestId = await placeCommit(tx, rows, { leaf: leafOf(rows, commit.stepId), base: commit.parent });
  await tx.em.flush();
  return await readRows(tx, rows.runbook);
}

/**
 * Returns the id of the pull request that gets the commit of a leaf. If the pull request does not exist yet, writes a
 * row for it with the state `planned`.
 */
export async function placeCommit(
  tx: Transaction,
  rows: RunbookRows,
  { leaf, base }: { readonly leaf: RunbookStepRow; readonly base: string },
): Promise<string> {
  const place = placeOf(rows, leaf.number);
  if (place.kind === 'there') return place.id;
  const { accountId, id: runbookId } = rows.runbook;
  const { ordinal, branch, baseBranch } = place;
  const pullRequest = tx.em.create(RunbookPullRequestEntity, {
    accountId,
    runbookId,
    ordinal,
    branch,
    baseBranch,
    baseCommit: base,
    state: 'planned',
  });
  await tx.em.flush();
  return pullRequest.id;
}
