// The life of a bot pull request beyond its first build (reuse_draft_pr_on_failure). When a batch ends without landing
// its bot pull request is spare; the next build with one of its pull requests takes it over, and one that nobody will
// take is closed. Each of these is one transaction under the queue's row; what the host is told follows, and may die.
import type { Context } from '../../../context.ts';
import { chooseSpare } from '../../../domain/queue/spare.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import type { LoadedBatch } from './batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { hosted, type HostedRepository } from '../observing/host.repository.ts';
import { finishIntent } from '../landing/intents.finish.ts';
import { BatchEntity, BotPullRequestEntity, type BotPullRequestRow, type IntentRow } from '../queue.entities.ts';
import { lockQueue } from '../queue.locks.ts';
import type { QueueWork } from '../status.writer.ts';
import { deleteBranch } from './bot-pull-requests.branch.ts';

/** Its batch ended without landing. */
export async function spareBotPullRequest({ ctx, tx }: QueueWork, batchId: string): Promise<void> {
  await tx.query(
    'update bot_pull_request set spare = true where account_id = $1 and batch_id = $2 and heir_batch_id is null and closed_at is null',
    [ctx.accountId, batchId],
  );
}

/** The one this batch uses, or takes over now. Null: it needs one of its own, or is no longer built. */
export async function takeBotPullRequest(
  ctx: Context,
  { batch, members }: LoadedBatch,
): Promise<BotPullRequestRow | null> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockQueue(ctx, tx, batch.queueId);
    const own = await tx.em.findOne(BotPullRequestEntity, { batchId: batch.id });
    if (own !== null) return own;
    const { state } = await tx.em.findOneOrFail(BatchEntity, { id: batch.id });
    if (state !== 'building') return null;
    const spares = await tx.query<{ id: string; pullRequests: string[] }>(
      `select bot.id, (select array_agg(m.pull_request_id::text) from batch_member m where m.account_id = $1 and m.batch_id = bot.batch_id) as "pullRequests"
       from bot_pull_request bot join batch b on b.account_id = bot.account_id and b.id = bot.batch_id
       where bot.account_id = $1 and bot.repository_id = $2 and b.queue_id = $3 and bot.spare`,
      [ctx.accountId, batch.repositoryId, batch.queueId],
    );
    const chosen = chooseSpare(
      spares,
      members.map((member) => member.pullRequestId),
    );
    if (chosen === null) return null;
    const spare = await tx.em.findOneOrFail(BotPullRequestEntity, { id: chosen.id });
    Object.assign(spare, { spare: false, heirBatchId: batch.id });
    return tx.em.create(BotPullRequestEntity, {
      accountId: ctx.accountId,
      repositoryId: batch.repositoryId,
      batchId: batch.id,
      number: spare.number,
      url: spare.url,
      branch: spare.branch,
      targetBranch: spare.targetBranch,
      headCommitSha: batch.commit ?? '',
      preBatchSha: batch.preBatchCommit ?? batch.parentCommit,
      createdAt: ctx.clock(),
    });
  });
}

/** Somebody closed it: this batch gets one of its own, and the branch goes. */
export async function dropBotPullRequest(ctx: Context, host: HostedRepository, bot: BotPullRequestRow): Promise<void> {
  await deleteBranch(ctx, host, bot.branch);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await closeRows(ctx, tx, bot);
    await tx.query('delete from bot_pull_request where account_id = $1 and id = $2 and opened_at is null', [
      ctx.accountId,
      bot.id,
    ]);
  });
}

/** All rows of its number: whoever used it, it is closed. */
export async function closeRows(
  ctx: Context,
  tx: Transaction,
  { repositoryId, number }: Pick<BotPullRequestRow, 'repositoryId' | 'number'>,
): Promise<void> {
  await tx.query(
    'update bot_pull_request set closed_at = $4, spare = false where account_id = $1 and repository_id = $2 and number = $3 and closed_at is null',
    [ctx.accountId, repositoryId, number, ctx.clock().toISOString()],
  );
}

/**
 * A spare that no build will take is closed: none of its pull requests stands in line without a build that has begun.
 * From here on nobody can take it over.
 */
export async function releaseSpares({ ctx, tx, queue, now }: QueueWork): Promise<void> {
  await tx.em.flush();
  await tx.query(
    `with released as (
       update bot_pull_request bot set spare = false
       from batch b
       where bot.account_id = $1 and bot.repository_id = $2 and bot.spare and b.account_id = $1 and b.id = bot.batch_id and b.queue_id = $3
         and not exists (
           select from batch_member m join pull_request p on p.account_id = $1 and p.id = m.pull_request_id
           where m.account_id = $1 and m.batch_id = bot.batch_id and p.queue_id = $3 and p.status in ('queued', 'tagged')
             and not exists (
               select from batch_member n join batch live on live.account_id = $1 and live.id = n.batch_id
               where n.account_id = $1 and n.pull_request_id = p.id and live.state in ('making', 'building', 'landing')
                 and (live.build_started_at is not null or live.mode <> 'parallel'
                      or exists (select from bot_pull_request own where own.account_id = $1 and own.batch_id = live.id))))
       returning bot.id)
     insert into intent (account_id, queue_id, kind, key, planned_at)
     select $1::bigint, $3::bigint, 'close_bot_pull_request', id::text, $4::timestamptz from released
     on conflict do nothing`,
    [ctx.accountId, queue.repositoryId, queue.id, now.toISOString()],
  );
}

export async function carryOutClosing(ctx: Context, intent: IntentRow): Promise<void> {
  const { bot, host } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.em.findOneOrFail(BotPullRequestEntity, { id: intent.key });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
    return { bot: row, host: hosted(repository) };
  });
  await ctx.hosts(host.host).closePullRequest(host, bot.number);
  await deleteBranch(ctx, host, bot.branch);
  await passFailpoint('bot:after_close');
  await ctx.db.transaction(ctx.accountId, async (tx) => await closeRows(ctx, tx, bot));
  await finishIntent(ctx, intent);
}
