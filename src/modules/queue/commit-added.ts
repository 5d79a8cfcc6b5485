// A new head on a pull request that is in line. The head an admission saw is pinned: nothing else is ever landed.
import { RepositoryEntity } from '../repositories/repositories.entities.ts';
import { isLandingBegun } from './begun-landings.ts';
import { rulesOf } from './configuration.cache.ts';
import type { PullRequestRow } from './queue.entities.ts';
import { announce, blockPullRequest, writeStatus, type QueueWork } from './status.writer.ts';

export async function onCommitAdded(
  work: QueueWork,
  row: PullRequestRow,
  pushed: { readonly head: string; readonly updates: string | null },
): Promise<void> {
  const previous = row.headSha;
  row.headSha = pushed.head;
  row.conflictParent = null;
  row.conflictAfter = null;
  const isInLine = row.status === 'queued' || row.status === 'tagged';
  if (!isInLine || (await isLandingBegun(work.ctx, work.tx, row.id))) return;
  // Serial mode brings the base into the head branch itself; a person's own "update branch" is as harmless: nothing but
  // the base was added, and the tree is tested again before it lands.
  if (pushed.updates === previous) return;
  const repository = await work.tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
  const { configuration } = rulesOf(repository, work.queue.hostRequiredChecks);
  if (configuration.merge_rules.merge_mode.parallel_mode.on_commit_added === 'block') {
    blockPullRequest(work, row, { code: 116 });
    return;
  }
  writeStatus(work, row, 'requeue');
  announce(work, row, 'queued');
}
