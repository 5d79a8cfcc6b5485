// A new head on a pull request in line. Admission pinned the head that it saw, and no other head ever lands.
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { findLoss, writeAdmission } from './admission.service.ts';
import { isLandingStarted } from '../store/intents.ts';
import { countOwnPushes, isMovedByLanding } from '../facts/own-pushes.ts';
import { rulesOf } from '../store/configuration.cache.ts';
import { keepOptions } from './merge-options.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import { announce, blockPullRequest, writeStatus, type QueueWork } from '../store/status.writer.ts';

export async function onCommitAdded(
  work: QueueWork,
  row: PullRequestRow,
  pushed: { readonly head: string; readonly updates: string | null },
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
  // The queue's own updates, a landing's moves of a head and a person's "update branch" are harmless: they add nothing
  // but the base, and the tree is tested again before it lands.
  const isInLine = row.status === 'queued' || row.status === 'tagged';
  const addsBaseAlone =
    ownPushes > 0 ||
    pushed.updates === previous ||
    (isInLine &&
      (await isMovedByLanding(work.ctx, work.tx, { pullRequestId: row.id, from: previous, to: pushed.head })));
  // The targets were reported for the old head. For the new head they are not known, so that it overlaps everything.
  if (!addsBaseAlone) row.affectedTargets = null;
  takeAwaited(row);
  if (addsBaseAlone || !isInLine || (await isLandingStarted(work.ctx, work.tx, row.id))) return;
  await answerCommitAdded(work, row);
}

/** By `on_commit_added`: the pull request leaves the line, or is requeued. */
export async function answerCommitAdded(work: QueueWork, row: PullRequestRow): Promise<void> {
  const repository = await work.tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
  const { configuration } = rulesOf(repository, work.queue);
  if (configuration.merge_rules.merge_mode.parallel_mode.on_commit_added === 'block') {
    blockPullRequest(work, row, { code: 116 });
    return;
  }
  // The commit may have removed a precondition. Then the pull request is pending or blocked and does not return to the
  // line.
  const loss = findLoss({ repository, queue: work.queue, pullRequest: row });
  if (loss !== null) return writeAdmission(work, row, loss);
  writeStatus(work, row, 'requeue');
  announce(work, row, 'queued');
}

/**
 * Applies what was reported about this head before it arrived. Reports about other heads are outdated or still early.
 */
function takeAwaited(row: PullRequestRow): void {
  if (row.awaited?.head !== row.headSha) return;
  keepOptions(row, row.awaited);
  row.awaited = null;
}
