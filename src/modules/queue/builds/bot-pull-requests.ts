// The bot pull request of a build at the host. The branch of a bot pull request belongs to the service, which moves and
// deletes it by compare-and-set whatever its commit is.
import type { Context } from '../../../context.ts';
import { hostClient, RefMoved, type HostedRepository } from '../../../hosts/port.ts';
import { chooseBotPullRequest } from '../../../domain/queue/planning/idle-bot-pull-requests.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { BatchEntity, BotPullRequestEntity, type BotPullRequestRow } from '../store/queue.entities.ts';
import { lockQueue } from '../store/queue.locks.ts';
import { readIdleBotPullRequests } from '../planning/idle-bot-pull-requests.ts';

/** Makes or moves the branch. If the branch is at another commit, that commit is outdated. */
export async function moveBranch(
  ctx: Context,
  host: HostedRepository,
  { branch, to }: { readonly branch: string; readonly to: string },
): Promise<void> {
  const client = hostClient(ctx, host);
  const ref = `refs/heads/${branch}`;
  const current = await client.readRef(ref);
  if (current?.commit === to) return;
  try {
    await client.updateRefs([{ ref, from: current?.commit ?? null, to }]);
  } catch (error) {
    // Another worker may have moved the branch to this commit meanwhile.
    if (!(error instanceof RefMoved && error.actual === to)) throw error;
  }
}

export async function deleteBranch(ctx: Context, host: HostedRepository, branch: string): Promise<void> {
  const client = hostClient(ctx, host);
  const ref = `refs/heads/${branch}`;
  const current = await client.readRef(ref);
  if (current === null) return;
  try {
    await client.updateRefs([{ ref, from: current.commit, to: null }]);
  } catch (error) {
    if (!(error instanceof RefMoved && error.actual === null)) throw error;
  }
}

/** The bot pull request that this batch has, or takes over now. Null: the batch needs a new one, or has ended. */
export async function takeBotPullRequest(
  ctx: Context,
  { batch, members }: LoadedBatch,
): Promise<BotPullRequestRow | null> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    // These share a round trip. The rows are read under the lock of the queue.
    const [, now, idle, own] = await Promise.all([
      lockQueue(tx, batch.queueId),
      tx.load(BatchEntity, batch.id),
      readIdleBotPullRequests(ctx, tx, { id: batch.queueId, repositoryId: batch.repositoryId }),
      tx.em.findOne(BotPullRequestEntity, { batchId: batch.id }),
    ]);
    if (own !== null) return own;
    if (now?.state !== 'building') return null;
    const chosen = chooseBotPullRequest(
      idle,
      members.map((member) => member.pullRequestId),
    );
    if (chosen === null) return null;
    const reused = await tx.em.findOneOrFail(BotPullRequestEntity, { id: chosen.id });
    Object.assign(reused, { idle: false, heirBatchId: batch.id });
    return tx.em.create(BotPullRequestEntity, {
      accountId: ctx.accountId,
      repositoryId: batch.repositoryId,
      batchId: batch.id,
      number: reused.number,
      url: reused.url,
      branch: reused.branch,
      targetBranch: reused.targetBranch,
      headCommitSha: batch.commit ?? '',
      preBatchSha: batch.preBatchCommit ?? batch.parentCommit,
      createdAt: ctx.clock(),
    });
  });
}

/** Removes a bot pull request that somebody closed, and its branch. This batch will get a new bot pull request. */
export async function dropBotPullRequest(ctx: Context, host: HostedRepository, bot: BotPullRequestRow): Promise<void> {
  await deleteBranch(ctx, host, bot.branch);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await closeRows(ctx, tx, bot);
    await tx.send('delete from bot_pull_request where account_id = $1 and id = $2 and opened_at is null', [
      ctx.accountId,
      bot.id,
    ]);
  });
}

/** Marks a bot pull request as closed in the rows of all batches that used it. */
export async function closeRows(
  ctx: Context,
  tx: Transaction,
  { repositoryId, number }: Pick<BotPullRequestRow, 'repositoryId' | 'number'>,
): Promise<void> {
  await tx.send(
    'update bot_pull_request set closed_at = $4, idle = false where account_id = $1 and repository_id = $2 and number = $3 and closed_at is null',
    [ctx.accountId, repositoryId, number, ctx.clock().toISOString()],
  );
}
