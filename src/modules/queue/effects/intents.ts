// Carries out intents of every kind. The queue's workflow passes only their ids, so the workflow needs no change for a
// new kind.
import type { Context } from '../../../context.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { hostClient, type HostClient, HostRefused, RefMoved } from '../../../hosts/port.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { carryOutBackport } from './backport.ts';
import { recordChecks } from '../facts/build.records.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { endOrPostpone } from './intents.failures.ts';
import { finishIntents } from '../store/intents.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { carryOutGate } from './final-gates.ts';
import { hosted } from '../store/hosted-repository.ts';
import { writeLabel, writeReply } from './intents.labels.ts';
import { publishStatuses } from './intents.status.ts';
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
import { carryOutRetry } from './check-retries.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { deleteBranch, closeRows } from '../builds/bot-pull-requests.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { readAbove } from '../host-sync/queue-assignment.ts';
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
  const done: IntentRow[] = [];
  const fail = async (intent: IntentRow, error: unknown): Promise<void> => {
    if (!(await endOrPostpone(ctx, intent, error))) errors.push(error);
  };
  for (const intent of intents.filter((each) => !isStatus(each)))
    try {
      if (await carryOutKind(ctx, intent)) done.push(intent);
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

/** Carries out an intent. Returns whether the caller must end it. False: it has ended, or it must stay open. */
async function carryOutKind(ctx: Context, intent: IntentRow): Promise<boolean> {
  switch (intent.kind) {
    case 'conclude_pull_request':
      await concludePullRequest(ctx, intent);
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

/**
 * Makes the host show the pull request as merged. Its branch is deleted only if its head is the pinned head, or the
 * commit to which the landing moved that head.
 */
async function concludePullRequest(ctx: Context, intent: IntentRow): Promise<void> {
  const { accountId, db } = ctx;
  const pullRequest = await mustLoad(db.load(accountId, PullRequestEntity, intent.pullRequestId ?? ''), intent);
  const [repository, { baseBranch }, landed] = await Promise.all([
    mustLoad(db.load(accountId, RepositoryEntity, pullRequest.repositoryId), intent),
    mustLoad(db.load(accountId, QueueEntity, intent.queueId), intent),
    readLandedHead(ctx, pullRequest.id),
  ]);
  const { pinned = pullRequest.headSha, own } = landed ?? {};
  const host = hosted(repository);
  const client = hostClient(ctx, host);
  const mergeCommit = String(intent.payload['mergeCommit']);
  const rules = configurationOf(repository).merge_rules;
  const mayDelete = (await retargetAbove(ctx, repository, { row: pullRequest, baseBranch })) && rules.delete_branch;
  const branch = ownHeadBranch(pullRequest);
  const tip = branch === null ? null : await client.readRef(`refs/heads/${branch}`);
  // The landing may have moved the branch to the landed commit.
  const hasLaterCommits = tip !== null && tip.commit !== pinned && tip.commit !== own;
  if (hasLaterCommits && rules.enable_comments) {
    await client.upsertComment(pullRequest.number, {
      key: 'left-out',
      body: `Merged as ${mergeCommit} at ${pinned}, the head that was tested. \`${branch}\` is at ${tip.commit} now: what came after ${pinned} is not in ${baseBranch}.`,
    });
  }
  // Before the branch is deleted, because a host closes a pull request whose branch is deleted, and then does not show
  // it as merged.
  await client.concludePullRequest(pullRequest.number, {
    mergeCommit,
    at: Number(intent.payload['at']),
    comment: `Landed as ${mergeCommit}.`,
  });
  // The landing moved the head to a commit whose tree was tested, so the runs that this started are not needed.
  const isMoved = own !== undefined && own !== pinned && own !== mergeCommit;
  if (isMoved && rules.merge_strategy.show_as_merged && ctx.hosts(host.host).mergedWhen === 'reachable')
    await client.cancelChecks(own);
  if (tip !== null && !hasLaterCommits && mayDelete && !isKept(pullRequest.labels, rules.labels.skip_delete_branch))
    await deleteHeadBranch(client, `refs/heads/${branch}`, tip.commit);
  await passFailpoint('conclude:after_host');
}

/** Deletes a branch, unless it has moved or is protected. If the host is down, the intent is tried again. */
async function deleteHeadBranch(client: HostClient, ref: string, from: string): Promise<void> {
  await client.updateRefs([{ ref, from, to: null }]).catch((error: unknown) => {
    if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
  });
}

interface LandedHead {
  readonly pinned: string;
  /** The commit of the pull request on the base branch. */
  readonly own: string;
}

/** Undefined: no queue has landed the pull request. */
async function readLandedHead({ accountId, db }: Context, pullRequestId: string): Promise<LandedHead | undefined> {
  const [landed] = await db.read<LandedHead>(accountId, {
    name: 'landed_heads',
    text: 'select pinned_head as pinned, own_commit as own from landed_member where account_id = $1 and pull_request_id = $2',
    values: [accountId, pullRequestId],
  });
  return landed;
}

async function mustLoad<Row>(loading: Promise<Row | null>, { id }: IntentRow): Promise<Row> {
  const row = await loading;
  if (row === null) throw new Error(`A row of intent ${id} does not exist.`);
  return row;
}

function isKept(labels: readonly string[], keepingLabel: string): boolean {
  return keepingLabel !== '' && labels.includes(keepingLabel);
}

/** Reads the checks of a commit from the host. The queue is woken even if nothing has changed. */
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
}

/**
 * After a landing, retargets the pull requests that were stacked on the landed one to the base branch. Returns whether
 * no pull request has the landed branch as its base branch any more, because only then may the branch be deleted.
 * Idempotent.
 */
async function retargetAbove(
  ctx: Context,
  repository: RepositoryRow,
  landed: { readonly row: PullRequestRow; readonly baseBranch: string },
): Promise<boolean> {
  if (!configurationOf(repository).merge_rules.auto_detect_stacks) return true;
  const host = hosted(repository);
  let mayDelete = true;
  for (const { number, belowId } of await readAbove(ctx, landed.row)) {
    if (belowId !== landed.row.id) continue;
    try {
      await hostClient(ctx, host).setBaseBranch(number, landed.baseBranch);
    } catch (error) {
      if (!(error instanceof HostRefused)) throw error;
      ctx.log.warn({ number, reason: error.message }, 'A pull request of a stack keeps the base branch that landed.');
      mayDelete = false;
    }
    await syncPullRequest(ctx, host, number);
  }
  return mayDelete;
}
