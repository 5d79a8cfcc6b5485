// Activates and deactivates repositories. In an inactive repository nothing is pushed, queued, validated, landed,
// released or previewed, and no runbook continues. The repository keeps its content.
import type { Context } from '../../../context.ts';
import { requireScope } from '../../accounts/index.ts';
import { changeActivity, loadRepository } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { isLandingStarted } from '../store/intents.ts';
import { PullRequestEntity } from '../store/queue.entities.ts';
import { dequeue } from '../admission/enqueue.ts';
import type { RepositoryRef } from './queue.service.ts';
import { changePullRequest } from './pull-request.changes.ts';

/**
 * Activates or deactivates a repository. Deactivating takes its pull requests out of the queue, except those that are
 * landing. A repeated request changes nothing, but completes an interrupted request. Needs the scope `admin`.
 */
export async function setRepositoryActive(
  ctx: Context,
  input: { readonly repository: RepositoryRef; readonly active: boolean },
): Promise<RepositoryRow> {
  requireScope(ctx, 'admin');
  const { id } = await loadRepository(ctx, input.repository, 'admin');
  const repository = await changeActivity(ctx, id, input.active);
  if (!input.active) {
    await emptyQueues(ctx, repository);
    await wakeOpenWork(ctx, 'verification', repository);
  }
  await wakeOpenWork(ctx, 'runbook', repository);
  return repository;
}

async function emptyQueues(ctx: Context, { id }: RepositoryRow): Promise<void> {
  const inLine = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.em.find(PullRequestEntity, {
        accountId: ctx.accountId,
        repositoryId: id,
        status: { $in: ['queued', 'tagged', 'pending'] },
      }),
  );
  for (const known of inLine)
    await changePullRequest(ctx, known, async (work, row) => {
      if (!(await isLandingStarted(work.ctx, work.tx, row.id))) await dequeue(work, row);
    });
}

const wakeOf = {
  runbook: (runbookId: string) => ({ runbookId }),
  verification: (verificationId: string) => ({ verificationId }),
} as const;

/**
 * Wakes the runbooks or verifications that have not ended. In an inactive repository they end themselves: commits that
 * a runbook has made are still published, and a runbook whose pull requests are still to be queued waits for the
 * activation.
 */
async function wakeOpenWork(ctx: Context, table: keyof typeof wakeOf, { id }: RepositoryRow): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await tx.query<{ id: string }>(
      `update ${table} set next_look_at = $3 where account_id = $1 and repository_id = $2 and next_look_at is not null
       returning id`,
      [ctx.accountId, id, ctx.clock().toISOString()],
    );
    for (const row of rows) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, ...wakeOf[table](row.id) }));
  });
}
