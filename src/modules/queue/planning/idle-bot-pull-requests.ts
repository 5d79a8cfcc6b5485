// Decides what happens to a bot pull request after its first build (reuse_draft_pr_on_failure). If a batch ends without
// landing, its bot pull request becomes idle. The next build with one of the same pull requests takes the bot pull
// request over. A bot pull request that no build will take over is closed. Each change is a transaction under the
// queue's lock. The call to the host follows the transaction, and is repeated if it is interrupted.
import type { Context } from '../../../context.ts';
import {
  findUnusableBotPullRequests,
  type IdleBotPullRequest,
} from '../../../domain/queue/planning/idle-bot-pull-requests.ts';
import type { Transaction } from '../../../platform/database.ts';
import { type QueueRow } from '../store/queue.entities.ts';
import type { QueueWork } from '../store/status.writer.ts';

/** Marks the bot pull request of a batch that has ended without landing as idle. */
export async function markBotPullRequestIdle({ ctx, tx }: QueueWork, batchId: string): Promise<void> {
  await tx.send(
    'update bot_pull_request set idle = true where account_id = $1 and batch_id = $2 and heir_batch_id is null and closed_at is null',
    [ctx.accountId, batchId],
  );
}

/** Whether the repository has an idle bot pull request. */
export async function hasIdleBotPullRequests(ctx: Context, tx: Transaction, repositoryId: string): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from bot_pull_request where account_id = $1 and repository_id = $2 and idle limit 1',
    [ctx.accountId, repositoryId],
  );
  return rows.length > 0;
}

/**
 * Closes the idle bot pull requests that no build will take over. A build may take one over only if one of its pull
 * requests is in line and has no started build. After this transaction no build can take the closed ones over.
 */
export async function releaseIdleBotPullRequests({ ctx, tx, queue, now }: QueueWork): Promise<void> {
  await tx.em.flush();
  const idle = await readIdleBotPullRequests(ctx, tx, queue);
  if (idle.length === 0) return;
  const unusable = findUnusableBotPullRequests(idle, {
    inLine: await readInLine(ctx, tx, { queue, pullRequests: idle.flatMap((bot) => bot.pullRequests) }),
    building: await readBuilding(ctx, tx, queue),
  });
  if (unusable.length === 0) return;
  await tx.send(
    `with released as (
       update bot_pull_request set idle = false where account_id = $1 and id = any($3::bigint[]) returning id)
     insert into intent (account_id, queue_id, kind, key, planned_at)
     select $1::bigint, $2::bigint, 'close_bot_pull_request', id::text, $4::timestamptz from released
     on conflict do nothing`,
    [ctx.accountId, queue.id, unusable.map(({ id }) => id), now.toISOString()],
  );
}

// A single join would be planned as nested loops over the whole history if the tables had never been analysed. So each
// statement gets the keys of the rows that it reads, and PostgreSQL has one good plan even without statistics.

/** The idle bot pull requests of a queue. */
export async function readIdleBotPullRequests(
  ctx: Context,
  tx: Transaction,
  queue: Pick<QueueRow, 'id' | 'repositoryId'>,
): Promise<readonly IdleBotPullRequest[]> {
  const bots = await tx.query<{ id: string; batchId: string }>(
    'select id, batch_id as "batchId" from bot_pull_request where account_id = $1 and repository_id = $2 and idle',
    [ctx.accountId, queue.repositoryId],
  );
  if (bots.length === 0) return [];
  const batches = await tx.query<{ id: string }>(
    'select id from batch where account_id = $1 and id = any($2::bigint[]) and queue_id = $3',
    [ctx.accountId, bots.map(({ batchId }) => batchId), queue.id],
  );
  const members = await tx.query<{ batchId: string; pullRequest: string }>(
    `select batch_id as "batchId", pull_request_id as "pullRequest" from batch_member
     where account_id = $1 and batch_id = any($2::bigint[])`,
    [ctx.accountId, batches.map(({ id }) => id)],
  );
  const known = new Set(batches.map(({ id }) => id));
  const pullRequestsOf = Map.groupBy(members, ({ batchId }) => batchId);
  return bots
    .filter(({ batchId }) => known.has(batchId))
    .map(({ id, batchId }) => ({
      id,
      pullRequests: (pullRequestsOf.get(batchId) ?? []).map(({ pullRequest }) => pullRequest),
    }));
}

async function readInLine(
  ctx: Context,
  tx: Transaction,
  { queue, pullRequests }: { readonly queue: QueueRow; readonly pullRequests: readonly string[] },
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `select id from pull_request
     where account_id = $1 and id = any($2::bigint[]) and queue_id = $3 and status in ('queued', 'tagged')`,
    [ctx.accountId, [...new Set(pullRequests)], queue.id],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Members of live batches that have started their build, or already have a bot pull request. */
async function readBuilding(ctx: Context, tx: Transaction, queue: QueueRow): Promise<Set<string>> {
  const live = await tx.query<{ id: string; isStarted: boolean }>(
    `select id, build_started_at is not null or mode <> 'parallel' as "isStarted" from batch
     where account_id = $1 and queue_id = $2 and state in ('making', 'building', 'landing')`,
    [ctx.accountId, queue.id],
  );
  const owning = await tx.query<{ batchId: string }>(
    'select batch_id as "batchId" from bot_pull_request where account_id = $1 and batch_id = any($2::bigint[])',
    [ctx.accountId, live.filter(({ isStarted }) => !isStarted).map(({ id }) => id)],
  );
  const started = [
    ...live.filter(({ isStarted }) => isStarted).map(({ id }) => id),
    ...owning.map(({ batchId }) => batchId),
  ];
  const rows = await tx.query<{ pullRequest: string }>(
    'select pull_request_id as "pullRequest" from batch_member where account_id = $1 and batch_id = any($2::bigint[])',
    [ctx.accountId, started],
  );
  return new Set(rows.map(({ pullRequest }) => pullRequest));
}
