// Starts verifications that are missing. Heads of open pull requests are verified again if their verification was
// canceled, for example because the host hint that a pull request was reopened was lost, unless a user canceled it.
// Heads that are older than the repository's previews are verified only if the queue requires a verification, because
// they could not merge otherwise, and only for pull requests that are not blocked. All other old heads would fail,
// because their commits lack the scripts of the previews.
import type { Context } from '../../../context.ts';
import { isManagedBranch, previewEntries, requiresVerification } from '../../../domain/configuration/index.ts';
import { whenWakeIsLost } from '../../../domain/turns.ts';
import { configurationOf } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { isWantedSql } from './rows.ts';
import { startVerification } from './start-verification.ts';
import { wakeVerification } from './wake.ts';

const maxAtOnce = 200;

export async function reconcileVerifications(ctx: Context, repository: RepositoryRow): Promise<void> {
  const configuration = configurationOf(repository);
  if (!repository.active || previewEntries(configuration).length === 0) return;
  await publishRemaining(ctx, repository);
  const heads = await ctx.db.read<{ id: string; head: string; baseBranch: string }>(ctx.accountId, {
    name: 'heads_without_verification',
    text: `select p.id, p.head_sha as head, q.base_branch as "baseBranch" from pull_request p
           join queue q on q.account_id = p.account_id and q.id = p.queue_id
           left join lateral (
             select v.id, v.status, v.cancel_requested_at from verification v
             where v.account_id = p.account_id and v.repository_id = p.repository_id and v.head_commit = p.head_sha
             order by v.attempt desc limit 1) newest on true
           where p.account_id = $1 and p.repository_id = $2 and p.status not in ('merged', 'closed')
             and case when newest.id is null then $4 and p.status <> 'blocked'
                      else newest.status = 'canceled' and newest.cancel_requested_at is null end
           order by p.id desc limit $3`,
    values: [ctx.accountId, repository.id, maxAtOnce, requiresVerification(configuration)],
  });
  for (const { id, head, baseBranch } of heads) {
    if (!isManagedBranch(configuration, baseBranch, repository.defaultBranch)) continue;
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      await startVerification(ctx, tx, { repositoryId: repository.id, pullRequestId: id, head, cause: 'head' });
    });
  }
}

/** Wakes verifications that ended before their check was published, because the repository was inactive. */
async function publishRemaining(ctx: Context, { id }: RepositoryRow): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const unpublished = await tx.query<{ id: string }>(
      `update verification v set next_look_at = $3
       where v.account_id = $1 and v.repository_id = $2 and v.next_look_at is null and v.calls > 0 and ${isWantedSql('v')}
       returning v.id`,
      [ctx.accountId, id, whenWakeIsLost(ctx.clock()).toISOString()],
    );
    for (const verification of unpublished) wakeVerification(ctx, tx, verification.id);
  });
}
