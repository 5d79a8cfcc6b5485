// Handles a new head commit and a new base branch of a pull request. Batches pin heads, so a new head never lands
// untested.
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { isTerminal } from '../../../domain/queue/model/status.ts';
import { loadAdmission, writeAdmission } from './admission.service.ts';
import { isLandingStarted } from '../store/intents.ts';
import { countOwnPushes, isMovedByLanding } from '../facts/own-pushes.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { keepOptions } from './merge-options.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { hasLeftOutCommitsBelow, isBelowLanded } from '../facts/stacks.ts';
import { announce, blockPullRequest, writeStatus, type QueueWork } from '../store/status.writer.ts';

export async function onCommitAdded(
  work: QueueWork,
  row: PullRequestRow,
  pushed: { readonly head: string; readonly updates: string | null; readonly bringsOthersIn: boolean },
): Promise<void> {
  const previous = row.headSha;
  row.headSha = pushed.head;
  row.conflictParent = null;
  row.conflictAfter = null;
  const ownPushes = await countOwnPushes(work.ctx, work.tx, {
    repositoryId: row.repositoryId,
    from: previous,
    to: pushed.head,
  });
  row.syncCount += ownPushes;
  // Three kinds of new heads add only commits of the base branch: updates by the queue, moves of a head by a landing,
  // and a person's "update branch". The new tree is tested again before it lands.
  const isInLine = row.status === 'queued' || row.status === 'tagged';
  const bringsBaseIn = (ownPushes > 0 && !pushed.bringsOthersIn) || pushed.updates === previous;
  const addsBaseAlone =
    bringsBaseIn ||
    (isInLine &&
      (await isMovedByLanding(work.ctx, work.tx, { pullRequestId: row.id, from: previous, to: pushed.head })));
  // In a stack, the base branch is that of the pull request below. Its commits need not land before this pull request:
  // the pull request below may be red, or this one may get another base branch.
  const bringsBelowIn = bringsBaseIn && row.baseBranch !== work.queue.baseBranch;
  // The affected targets were reported for the old head. Those of the new head are unknown, so the pull request
  // overlaps every other pull request.
  if (!addsBaseAlone || bringsBelowIn) row.affectedTargets = null;
  await takeAwaited(work, row);
  if (addsBaseAlone && !bringsBelowIn) return;
  if (!isInLine) return endSkippedValidation(row);
  // The old head lands, and its proof names the user who skipped its validation.
  if (await isLandingStarted(work.ctx, work.tx, row.id)) return;
  if (addsBaseAlone) return endSkippedValidation(row);
  await answerCommitAdded(work, row);
}

/**
 * Handles a change of the base branch. From now on, commits of the earlier base branch may belong to the pull request,
 * so its affected targets are unknown, and no user has skipped their validation. The base branch of the queue, and the
 * pull request below that has landed there with all its commits, have no such commits.
 */
export async function onBaseChanged(work: QueueWork, row: PullRequestRow, earlierBase: string): Promise<void> {
  if (earlierBase === work.queue.baseBranch) return;
  if ((await isBelowLanded(work.tx, row)) && !(await hasLeftOutCommitsBelow(work, row))) return;
  endTargets(row);
  // A started landing lands on the earlier base branch, and its proof names the user who skipped the validation.
  if (!(await isLandingStarted(work.ctx, work.tx, row.id))) endSkippedValidation(row);
}

/**
 * Handles landings that left out commits of these pull requests (`isLeftOut`). Pull requests above may contain the
 * commits, and land them as their own. So their affected targets are unknown, and no user has skipped the validation of
 * these commits.
 */
export async function onCommitsLeftOut({ ctx, tx }: QueueWork, leavingOut: readonly string[]): Promise<void> {
  if (leavingOut.length === 0) return;
  const above = await tx.em.find(PullRequestEntity, { accountId: ctx.accountId, belowId: { $in: leavingOut } });
  for (const row of above) {
    if (isTerminal(row.status)) continue;
    endTargets(row);
    endSkippedValidation(row);
  }
}

/** Makes the affected targets unknown, and also those that were reported for a head that Interlock has not seen yet. */
function endTargets(row: PullRequestRow): void {
  row.affectedTargets = null;
  if (row.awaited) row.awaited = { ...row.awaited, affectedTargets: null };
}

/** A permitted user skipped the validation of the old head. The author of the new head may not have this permission. */
export function endSkippedValidation(row: PullRequestRow): void {
  row.skipValidation = false;
}

/**
 * Follows `on_commit_added` of the configuration: the pull request is blocked, or requeued at the end of the line if it
 * would be admitted with its new head.
 */
export async function answerCommitAdded(work: QueueWork, row: PullRequestRow): Promise<void> {
  endSkippedValidation(row);
  const repository = await work.tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
  const { configuration } = rulesOf(repository, work.queue);
  if (configuration.merge_rules.merge_mode.parallel_mode.on_commit_added === 'block') {
    blockPullRequest(work, row, { code: 116 });
    return;
  }
  // The new commit may have broken a precondition, and the own checks of the new head may run. The pull request is then
  // pending or blocked, and is not requeued.
  await work.tx.em.flush();
  const admission = await loadAdmission(work.ctx, work.tx, { repository, queue: work.queue, pullRequest: row });
  if (admission.kind !== 'queue') return writeAdmission(work, row, admission);
  writeStatus(work, row, 'requeue');
  announce(work, row, 'queued');
}

/**
 * Applies what the API reported about this head before Interlock saw it. A report about any other head is outdated or
 * early.
 */
async function takeAwaited(work: QueueWork, row: PullRequestRow): Promise<void> {
  if (row.awaited?.head !== row.headSha) return;
  await keepOptions(work, row, row.awaited);
  row.awaited = null;
}
