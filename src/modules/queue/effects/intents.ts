// Performs one intent of any kind: the queue's workflow passes ids and knows no kinds.
import type { Context } from '../../../context.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { hostClient, HostRefused, RefMoved } from '../../../hosts/port.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { carryOutBackport } from './backport.ts';
import { recordChecks } from '../facts/build.records.ts';
import { configurationOf } from '../store/configuration.cache.ts';
import { endOrPostpone } from './intents.failures.ts';
import { finishIntent as finish, finishIntent } from '../store/intents.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { carryOutGate } from './final-gates.ts';
import { hosted } from '../store/hosted-repository.ts';
import { writeLabel, writeReply } from './intents.labels.ts';
import { publishStatusCheck, writeStatusComment } from './intents.status.ts';
import { carryOutLanding } from '../landing/landing.ts';
import {
  IntentEntity,
  PullRequestEntity,
  QueueEntity,
  type IntentRow,
  BotPullRequestEntity,
  type PullRequestRow,
} from '../store/queue.entities.ts';
import { carryOutRefresh } from './branch-work.ts';
import { carryOutRetry } from './retries.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { deleteBranch, closeRows } from '../builds/bot-pull-requests.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { readAbove } from '../host-sync/queue-assignment.ts';
import { carryOutSync } from './branch-sync.ts';

export async function carryOut(ctx: Context, intentId: string): Promise<void> {
  const intent = await ctx.db.load(ctx.accountId, IntentEntity, intentId);
  if (intent === null) throw new Error(`There is no intent ${intentId}.`);
  if (intent.state !== 'planned' && intent.state !== 'started') return;
  // It was passed together with other failed intents, but has its own time.
  if (intent.nextTryAt && intent.nextTryAt > ctx.clock()) return;
  try {
    await carryOutKind(ctx, intent);
  } catch (error) {
    if (!(await endOrPostpone(ctx, intent, error))) throw error;
  }
}

async function carryOutKind(ctx: Context, intent: IntentRow): Promise<void> {
  switch (intent.kind) {
    case 'land':
      if (intent.batchId) await carryOutLanding(ctx, intent.id, intent.batchId);
      return;
    case 'conclude_pull_request':
      return await concludePullRequest(ctx, intent);
    case 'comment':
      return await writeStatusComment(ctx, intent);
    case 'status_check':
      return await publishStatusCheck(ctx, intent);
    case 'refresh':
      return await carryOutRefresh(ctx, intent);
    case 'sync':
      return await carryOutSync(ctx, intent);
    case 'backport':
      return await carryOutBackport(ctx, intent);
    case 'reply':
      return await writeReply(ctx, intent);
    case 'label':
      return await writeLabel(ctx, intent);
    case 'read_checks':
      return await readChecks(ctx, intent);
    case 'retry_check':
      return await carryOutRetry(ctx, intent);
    case 'run_gate':
      return await carryOutGate(ctx, intent);
    case 'close_bot_pull_request':
      return await carryOutClosing(ctx, intent);
    default:
      intent.kind satisfies never;
  }
}

/**
 * Shows the pull request as merged at the host. Its branch is deleted only if its head is the landed head, or what the
 * landing made of that head.
 */
async function concludePullRequest(ctx: Context, intent: IntentRow): Promise<void> {
  const { pullRequest, repository, baseBranch, pinned, own } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
    const [landed] = await tx.query<{ pinned_head: string; own_commit: string }>(
      'select pinned_head, own_commit from landed_member where account_id = $1 and pull_request_id = $2',
      [ctx.accountId, row.id],
    );
    return {
      pullRequest: row,
      repository: await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId }),
      baseBranch: (await tx.em.findOneOrFail(QueueEntity, { id: intent.queueId })).baseBranch,
      pinned: landed?.pinned_head ?? row.headSha,
      own: landed?.own_commit,
    };
  });
  const host = hosted(repository);
  const client = hostClient(ctx, host);
  const mergeCommit = String(intent.payload['mergeCommit']);
  const rules = configurationOf(repository).merge_rules;
  const mayDelete = (await retargetAbove(ctx, repository, { row: pullRequest, baseBranch })) && rules.delete_branch;
  const branch = ownHeadBranch(pullRequest);
  const tip = branch === null ? null : await client.readRef(`refs/heads/${branch}`);
  // A landing may have moved it to the landed commit.
  const isLeftBehind = tip !== null && tip.commit !== pinned && tip.commit !== own;
  if (isLeftBehind && rules.enable_comments) {
    await client.upsertComment(pullRequest.number, {
      key: 'left-out',
      body: `Merged as ${mergeCommit} at ${pinned}, the head that was tested. \`${branch}\` is at ${tip.commit} now: what came after ${pinned} is not in ${baseBranch}.`,
    });
  }
  // Before its branch is deleted: a host closes a pull request whose branch has gone, and calls it merged no more.
  await client.concludePullRequest(pullRequest.number, {
    mergeCommit,
    at: Number(intent.payload['at']),
    words: `Landed as ${mergeCommit}.`,
  });
  // Runs that the landing has started by moving the head to a commit whose tree was tested.
  const isMoved = own !== undefined && own !== pinned && own !== mergeCommit;
  if (isMoved && rules.merge_strategy.show_as_merged && ctx.hosts(host.host).mergedWhen === 'reachable')
    await client.cancelChecks(own);
  if (tip !== null && !isLeftBehind && mayDelete && !isKept(pullRequest.labels, rules.labels.skip_delete_branch)) {
    await client
      .updateRefs([{ ref: `refs/heads/${branch}`, from: tip.commit, to: null }])
      // The branch moved or is protected: it stays. If the host is down, it is tried again.
      .catch((error: unknown) => {
        if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
      });
  }
  await passFailpoint('conclude:after_host');
  await finish(ctx, intent);
}

function isKept(labels: readonly string[], keepingLabel: string): boolean {
  return keepingLabel !== '' && labels.includes(keepingLabel);
}

/** Reads a commit's checks from the host. The waiting queues are woken even without news. */
async function readChecks(ctx: Context, intent: IntentRow): Promise<void> {
  const repository = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: intent.queueId });
    return await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
  });
  await recordChecks(ctx, hosted(repository), intent.key);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, intent.queueId);
    await tx.query(
      `update intent set state = 'done', concluded_at = $3 where account_id = $1 and id = $2 and state = 'planned'`,
      [ctx.accountId, intent.id, ctx.clock().toISOString()],
    );
  });
}

async function carryOutClosing(ctx: Context, intent: IntentRow): Promise<void> {
  const { bot, host } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.em.findOneOrFail(BotPullRequestEntity, { id: intent.key });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
    return { bot: row, host: hosted(repository) };
  });
  await hostClient(ctx, host).closePullRequest(bot.number);
  await deleteBranch(ctx, host, bot.branch);
  await passFailpoint('bot:after_close');
  await ctx.db.transaction(ctx.accountId, async (tx) => await closeRows(ctx, tx, bot));
  await finishIntent(ctx, intent);
}

/**
 * After a landing, pull requests that were stacked on it are retargeted to the base branch at the host. Returns whether
 * no pull request has the landed branch as its base any more: only then may the branch be deleted. Idempotent.
 */
async function retargetAbove(
  ctx: Context,
  repository: RepositoryRow,
  landed: { readonly row: PullRequestRow; readonly baseBranch: string },
): Promise<boolean> {
  if (!configurationOf(repository).merge_rules.auto_detect_stacks) return true;
  const host = hosted(repository);
  let isLeft = true;
  for (const { number, belowId } of await readAbove(ctx, landed.row)) {
    if (belowId !== landed.row.id) continue;
    try {
      await hostClient(ctx, host).setBaseBranch(number, landed.baseBranch);
    } catch (error) {
      if (!(error instanceof HostRefused)) throw error;
      ctx.log.warn({ number, reason: error.message }, 'A pull request of a stack keeps the base branch that landed.');
      isLeft = false;
    }
    await syncPullRequest(ctx, host, number);
  }
  return isLeft;
}
