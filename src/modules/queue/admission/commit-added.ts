// A new head on a pull request that is in line. The head an admission saw is pinned: nothing else is ever landed.
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { findLoss, writeAdmission } from './admission.service.ts';
import { isLandingBegun } from '../store/intents.ts';
import { countOwnPushes } from '../facts/own-pushes.ts';
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
  // The queue itself brings branches up to date; a person's own "update branch" is as harmless: nothing but the base was
  // added, and the tree is tested again before it lands.
  const addsBaseAlone = ownPushes > 0 || pushed.updates === previous;
  // What another head affects was said of that one: nobody knows it of this one, so that it overlaps everything.
  if (!addsBaseAlone) row.affectedTargets = null;
  takeAwaited(row);
  const isInLine = row.status === 'queued' || row.status === 'tagged';
  if (addsBaseAlone || !isInLine || (await isLandingBegun(work.ctx, work.tx, row.id))) return;
  await answerCommitAdded(work, row);
}

/** As `on_commit_added` says: out of the line, or to its end. */
export async function answerCommitAdded(work: QueueWork, row: PullRequestRow): Promise<void> {
  const repository = await work.tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
  const { configuration } = rulesOf(repository, work.queue.hostRequiredChecks);
  if (configuration.merge_rules.merge_mode.parallel_mode.on_commit_added === 'block') {
    blockPullRequest(work, row, { code: 116 });
    return;
  }
  // What came with the commit may have taken a precondition: then it waits or is blocked, and is not in line again.
  const loss = findLoss({ repository, queue: work.queue, pullRequest: row });
  if (loss !== null) return writeAdmission(work, row, loss);
  writeStatus(work, row, 'requeue');
  announce(work, row, 'queued');
}

/** What was said of this head before it came. What was said of another one is late now, or still early. */
function takeAwaited(row: PullRequestRow): void {
  if (row.awaited?.head !== row.headSha) return;
  keepOptions(row, row.awaited);
  row.awaited = null;
}
