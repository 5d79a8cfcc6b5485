// A new head on a pull request that is in line. The head an admission saw is pinned: nothing else is ever landed.
import { RepositoryEntity } from '../repositories/repositories.entities.ts';
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
  if (!isInLine || (await isLandingBegun(work, row))) return;
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

// A landing past its gate lands the pinned head, whatever is pushed meanwhile (docs/adr/0003).
export async function isLandingBegun(work: QueueWork, row: PullRequestRow): Promise<boolean> {
  await work.tx.em.flush();
  const rows = await work.tx.query(
    `select 1 from intent i join batch_member m on m.account_id = i.account_id and m.batch_id = i.batch_id
     where i.account_id = $1 and i.queue_id = $2 and i.kind = 'land' and i.state = 'begun' and m.pull_request_id = $3`,
    [work.ctx.accountId, work.queue.id, row.id],
  );
  return rows.length > 0;
}
