// Carries out intents. The queue's workflow passes only their ids, so the workflow needs no change for a new kind.
// `carryOutKind` names the function of each kind. Functions that are short are in this file.
import type { Context } from '../../../context.ts';
import { hostClient, toHostedRepository } from '../../../hosts/port.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { carryOutBackport } from './backport.ts';
import { recordChecks } from '../facts/build.records.ts';
import { endOrPostpone } from './intents.failures.ts';
import { finishIntent, finishIntents } from '../store/intents.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { carryOutGate } from './final-gates.ts';
import { writeLabel } from './intents.labels.ts';
import { concludePullRequest, readMergedPullRequests, type MergedPullRequest } from './merged-pull-request.ts';
import { publishStatuses } from './intents.status.ts';
import { carryOutLanding } from '../landing/landing.ts';
import {
  IntentEntity,
  PullRequestEntity,
  QueueEntity,
  type IntentRow,
  BotPullRequestEntity,
} from '../store/queue.entities.ts';
import { carryOutRefresh } from './branch-work.ts';
import { carryOutRetry } from './check-retries.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { deleteBranch, closeRows } from '../builds/bot-pull-requests.ts';
import { carryOutSync } from './branch-sync.ts';

export async function carryOut(ctx: Context, intentId: string): Promise<void> {
  const [error] = await carryOutAll(ctx, [intentId]);
  if (error !== undefined) throw error;
}

/** Whether the intent publishes a status. Statuses only inform people, and are published together. */
const isStatus = ({ kind }: IntentRow): boolean => kind === 'comment' || kind === 'status_check';

/** Carries out intents. Statuses are published last and together. Returns the errors of the intents that stay open. */
export async function carryOutAll(ctx: Context, intentIds: readonly string[]): Promise<readonly unknown[]> {
  const rows = new Map((await ctx.db.loadMany(ctx.accountId, IntentEntity, intentIds)).map((row) => [row.id, row]));
  const errors: unknown[] = [];
  const intents = intentIds.flatMap((id) => {
    const intent = rows.get(id);
    if (intent === undefined) errors.push(new Error(`There is no intent ${id}.`));
    return intent !== undefined && isDue(ctx, intent) ? [intent] : [];
  });
  const merged = await readMergedPullRequests(ctx, intents);
  const done: IntentRow[] = [];
  const fail = async (intent: IntentRow, error: unknown): Promise<void> => {
    if (!(await endOrPostpone(ctx, intent, error))) errors.push(error);
  };
  for (const intent of intents.filter((each) => !isStatus(each)))
    try {
      if (await carryOutKind(ctx, intent, merged.get(intent))) done.push(intent);
    } catch (error) {
      await fail(intent, error);
    }
  const statuses = intents.filter(isStatus);
  let failed: ReadonlyMap<IntentRow, unknown> = new Map();
  try {
    if (statuses.length > 0) failed = await publishStatuses(ctx, statuses);
    await finishIntents(ctx, [...done, ...statuses.filter((intent) => !failed.has(intent))]);
  } catch (error) {
    failed = new Map([...[...done, ...statuses].map((intent) => [intent, error] as const), ...failed]);
  }
  for (const [intent, error] of failed) await fail(intent, error);
  return errors;
}

function isDue(ctx: Context, { state, nextTryAt }: IntentRow): boolean {
  if (state !== 'planned' && state !== 'started') return false;
  // A failed intent is passed together with others, and may have a later time for its next attempt.
  return !(nextTryAt && nextTryAt > ctx.clock());
}

/**
 * Carries out an intent. Returns whether the caller must end the intent. False: the intent has ended, or must stay
 * open.
 */
async function carryOutKind(ctx: Context, intent: IntentRow, merged: MergedPullRequest | undefined): Promise<boolean> {
  switch (intent.kind) {
    case 'conclude_pull_request':
      await concludePullRequest(ctx, intent, merged);
      return true;
    case 'close_bot_pull_request':
      await carryOutClosing(ctx, intent);
      return true;
    case 'land':
      if (intent.batchId) await carryOutLanding(ctx, intent.id, intent.batchId);
      return false;
    case 'refresh':
      await carryOutRefresh(ctx, intent);
      return false;
    case 'sync':
      await carryOutSync(ctx, intent);
      return false;
    case 'backport':
      await carryOutBackport(ctx, intent);
      return false;
    case 'reply':
      await writeReply(ctx, intent);
      return false;
    case 'label':
      await writeLabel(ctx, intent);
      return false;
    case 'read_checks':
      await readChecks(ctx, intent);
      return false;
    case 'retry_check':
      await carryOutRetry(ctx, intent);
      return false;
    case 'run_gate':
      await carryOutGate(ctx, intent);
      return false;
    case 'comment':
    case 'status_check':
      throw new Error('Statuses are published together.');
    default:
      return intent.kind satisfies never;
  }
}

async function writeReply(ctx: Context, intent: IntentRow): Promise<void> {
  const { host, number } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
    return { host: toHostedRepository(repository), number: row.number };
  });
  await hostClient(ctx, host).upsertComment(number, {
    key: `reply:${String(intent.payload['key'])}`,
    body: String(intent.payload['body']),
  });
  await finishIntent(ctx, intent);
}

/** Reads the checks of a commit from the host. The queue is woken even if nothing has changed. */
async function readChecks(ctx: Context, intent: IntentRow): Promise<void> {
  const repository = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: intent.queueId });
    return await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
  });
  await recordChecks(ctx, toHostedRepository(repository), intent.key);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, intent.queueId);
    await tx.send(
      `update intent set state = 'done', concluded_at = $3 where account_id = $1 and id = $2 and state = 'planned'`,
      [ctx.accountId, intent.id, ctx.clock().toISOString()],
    );
  });
}

async function carryOutClosing(ctx: Context, intent: IntentRow): Promise<void> {
  const { bot, host } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.em.findOneOrFail(BotPullRequestEntity, { id: intent.key });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
    return { bot: row, host: toHostedRepository(repository) };
  });
  await hostClient(ctx, host).closePullRequest(bot.number);
  await deleteBranch(ctx, host, bot.branch);
  await passFailpoint('bot:after_close');
  await ctx.db.transaction(ctx.accountId, async (tx) => await closeRows(ctx, tx, bot));
}
