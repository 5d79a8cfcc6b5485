// Cancels runbooks, retries failed leaves, and requests pull requests.
import { type Context, systemContext, type Ports } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { isBudgetSpent, requireGreaterBudget } from '../../domain/runbooks/request.ts';
import type { Transaction } from '../../platform/database.ts';
import { dryRun } from '../../platform/dry-run.ts';
import { recordUserAction } from '../accounts/index.ts';
import { requireActive } from '../repositories/index.ts';
import { RepositoryEntity } from '../repositories/repositories.entities.ts';
import { findRunbookDefaults } from './defaults.reads.ts';
import { actorOf, requireRightToQueue } from './runbooks.preconditions.ts';
import { RunbookPullRequestEntity, type RunbookRow } from './runbooks.entities.ts';
import { announceRunbook } from './runbooks.events.ts';
import { changeRunbook, lockRunbook } from './runbooks.locks.ts';
import { requireWriter } from './runbooks.reads.ts';
import { budgetSpent } from './runbooks.service.ts';
import { wakeRunbook } from './runbooks.wake.ts';
import { cancelWork, loadLeaves, loadPrompts, retryWork, type RetriedWork } from './steps.writer.ts';

/** What a cancellation stops. */
export interface StoppedWork {
  /** Number of the leaf that an agent works on. Null: no agent works on a leaf. */
  readonly running: string | null;
  /** Numbers of the leaves that are not started, in their order. */
  readonly waiting: readonly string[];
  /** Ordinals of the prompts without a plan. */
  readonly prompts: readonly number[];
  /** Numbers of the open pull requests that the runbook would have queued. */
  readonly unqueued: readonly number[];
}

/**
 * Cancels a runbook. A repetition changes nothing. A follow-up prompt or a retry ends the cancellation. Returns what a
 * dry run would stop, or null after a cancellation that was carried out.
 */
export async function cancelRunbook(
  ctx: Context,
  { number, preview }: { readonly number: number; readonly preview?: boolean },
): Promise<StoppedWork | null> {
  await requireWriter(ctx, number);
  const act = async (tx: Transaction): Promise<StoppedWork> => await cancel(ctx, tx, number);
  if (preview) return await dryRun(ctx.db, ctx.accountId, act);
  await ctx.db.transaction(ctx.accountId, act);
  return null;
}

async function cancel(ctx: Context, tx: Transaction, number: number): Promise<StoppedWork> {
  const runbook = await changeRunbook(ctx, tx, number);
  const stopped = await readOpen(tx, runbook);
  if (runbook.cancelRequestedAt) return stopped;
  if (isNothing(stopped))
    throw new DomainError('CONFLICT', `Runbook ${number} has already ended: there is nothing to stop`);
  await cancelWork(ctx, tx, { runbook, message: `Canceled by ${actorOf(ctx)}.` });
  wakeRunbook(ctx, tx, runbook);
  await announceRunbook(ctx, tx, { runbook, action: 'runbook_canceled' });
  await recordUserAction(ctx, tx, { action: 'runbook_canceled', target: String(number) });
  return stopped;
}

async function readOpen(tx: Transaction, runbook: RunbookRow): Promise<StoppedWork> {
  const leaves = await loadLeaves(tx, runbook);
  const prompts = await loadPrompts(tx, runbook);
  const { accountId, id: runbookId } = runbook;
  const pullRequests = runbook.queueWhenGreen
    ? await tx.em.find(
        RunbookPullRequestEntity,
        { accountId, runbookId, state: 'open', queuedAt: null },
        { orderBy: { ordinal: 'asc' } },
      )
    : [];
  return {
    running: leaves.find(({ status }) => status === 'in_progress')?.number ?? null,
    waiting: leaves.filter(({ status }) => status === 'not_started' || status === 'queued').map((leaf) => leaf.number),
    prompts: prompts.filter(({ plannedAt }) => !plannedAt).map(({ ordinal }) => ordinal),
    unqueued: pullRequests.flatMap((each) => each.number ?? []),
  };
}

function isNothing({ running, waiting, prompts, unqueued }: StoppedWork): boolean {
  return running === null && waiting.length === 0 && prompts.length === 0 && unqueued.length === 0;
}

export function stoppedText({ running, waiting, prompts, unqueued }: StoppedWork): string {
  const sentences = [
    ...(running === null ? [] : [`Stops ${running}, which is being worked on.`]),
    ...(waiting.length === 0 ? [] : [`${list(waiting)} will not be started.`]),
    ...(prompts.length === 0 ? [] : [`Leaves prompt ${list(prompts.map(String))} without a plan.`]),
    ...(unqueued.length === 0 ? [] : [`Does not queue ${list(unqueued.map((number) => `#${number}`))}.`]),
  ];
  return sentences.length === 0
    ? 'Stops nothing, because the runbook is already canceled.'
    : [...sentences, 'The commits and pull requests of the runbook stay.'].join(' ');
}

function list(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}

export interface RetryRunbookRequest {
  readonly number: number;
  /** A greater budget, in millionths of a US dollar, at most the budget in the repository's defaults. */
  readonly budgetMicros?: number | null | undefined;
  readonly preview?: boolean;
}

/**
 * Retries the failed leaves in their order, and plans prompts again whose planning failed. If no leaf failed, ends a
 * cancellation that left out pull requests to queue, which also needs the scope `queue:write`. Throws CONFLICT if there
 * is nothing to retry. Returns what a dry run would retry, or null after a retry that was carried out.
 */
export async function retryRunbook(ctx: Context, request: RetryRunbookRequest): Promise<RetriedWork | null> {
  await requireWriter(ctx, request.number);
  const act = async (tx: Transaction): Promise<RetriedWork> => await retry(ctx, tx, request);
  if (request.preview) return await dryRun(ctx.db, ctx.accountId, act);
  await ctx.db.transaction(ctx.accountId, act);
  return null;
}

async function retry(
  ctx: Context,
  tx: Transaction,
  { number, budgetMicros }: RetryRunbookRequest,
): Promise<RetriedWork> {
  const runbook = await changeRunbook(ctx, tx, number);
  await requireActiveOf(ctx, tx, runbook);
  if (typeof budgetMicros === 'number') {
    const { budgetMicros: max } = await findRunbookDefaults(ctx, runbook.repositoryId, tx);
    runbook.budgetMicros = requireGreaterBudget(budgetMicros, { min: runbook.budgetMicros, max });
  }
  if (isBudgetSpent(runbook)) throw budgetSpent(runbook);
  const { unqueued } = await readOpen(tx, runbook);
  const retried = await retryWork(ctx, tx, { runbook, unqueued });
  if (retried.queues.length > 0) requireRightToQueue(ctx, runbook);
  wakeRunbook(ctx, tx, runbook);
  await announceRunbook(ctx, tx, { runbook, action: 'runbook_retried' });
  await recordUserAction(ctx, tx, { action: 'runbook_retried', target: String(number) });
  return retried;
}

export function retriedText({ retries, plans, queues }: RetriedWork): string {
  const sentences = [
    ...(retries.length === 0 ? [] : [`Tries ${list(retries)} again.`]),
    ...(plans.length === 0 ? [] : [`Plans prompt ${list(plans.map(String))} again.`]),
    ...(queues.length === 0
      ? []
      : [
          `Queues ${list(queues.map((number) => `#${number}`))} when ${queues.length === 1 ? 'it is' : 'they are'} green.`,
        ]),
  ];
  return sentences.join(' ');
}

/**
 * Requests the pull requests of a runbook in `manual` mode. Later commits of the runbook are pushed to these pull
 * requests too. A repetition changes nothing.
 */
export async function publishRunbook(ctx: Context, number: number): Promise<void> {
  await requireWriter(ctx, number);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const runbook = await changeRunbook(ctx, tx, number);
    if (runbook.prMode !== 'manual')
      throw new DomainError(
        'CONFLICT',
        `Runbook ${number} opens its pull requests itself: publishRunbook is only for the mode manual`,
      );
    if (runbook.publishRequestedAt) return;
    await requireActiveOf(ctx, tx, runbook);
    runbook.publishRequestedAt = ctx.clock();
    wakeRunbook(ctx, tx, runbook);
    await announceRunbook(ctx, tx, { runbook, action: 'runbook_publish_requested' });
    await recordUserAction(ctx, tx, { action: 'runbook_published', target: String(number) });
  });
}

// The repository's row need not be locked, because a turn of a runbook whose repository was deleted does nothing.
async function requireActiveOf(ctx: Context, tx: Transaction, { repositoryId: id }: RunbookRow): Promise<void> {
  requireActive(await tx.em.findOneOrFail(RepositoryEntity, { id, accountId: ctx.accountId }));
}

/**
 * Cancels all open runbooks of a repository. Users see the text `because` as the reason. A repetition changes nothing.
 */
export async function stopRunbooks(
  ctx: Context,
  tx: Transaction,
  { repositoryId, because }: { readonly repositoryId: string; readonly because: string },
): Promise<void> {
  const open = await tx.query<{ id: string }>(
    `select r.id::text as id from runbook r where r.account_id = $1 and r.repository_id = $2 and r.cancel_requested_at is null
       and (r.not_started + r.queued + r.in_progress > 0
         or exists (select from runbook_prompt p where p.account_id = r.account_id and p.runbook_id = r.id and p.planned_at is null))
     order by r.id`,
    [ctx.accountId, repositoryId],
  );
  for (const { id } of open) {
    const runbook = await lockRunbook(ctx, tx, id);
    runbook.version += 1;
    await cancelWork(ctx, tx, { runbook, message: because });
    wakeRunbook(ctx, tx, runbook);
  }
}

interface OpenRunbook {
  readonly accountId: string;
  readonly id: string;
}

// The open leaves of a canceled runbook have made their commits, which are only published. A runbook whose pull requests
// are still to be queued is open, because somebody may have canceled it since the backup.
const openRunbooks = `select r.account_id as "accountId", r.id from runbook r
                      where (r.not_started + r.queued + r.in_progress > 0 and r.cancel_requested_at is null)
                        or exists (select 1 from runbook_prompt p
                                   where p.account_id = r.account_id and p.runbook_id = r.id and p.planned_at is null)
                        or (r.queue_when_green and r.cancel_requested_at is null
                            and exists (select 1 from runbook_pull_request p
                                        where p.account_id = r.account_id and p.runbook_id = r.id
                                          and p.state = 'open' and p.queued_at is null))
                      order by r.account_id, r.id`;

export async function countOpenRunbooks({ db }: Ports): Promise<number> {
  return (await db.system.query<OpenRunbook>(openRunbooks)).length;
}

/**
 * Cancels the open runbooks after a backup was restored, because the database does not know what these runbooks have
 * pushed and opened since the backup. A person checks the branches and retries the runbooks. A commit that is already
 * on its branch is not pushed again. Returns the number of canceled runbooks.
 */
export async function stopOpenRunbooks(ports: Ports): Promise<number> {
  const open = await ports.db.system.query<OpenRunbook>(openRunbooks);
  for (const { accountId, id } of open) {
    const ctx = systemContext(ports, accountId);
    await ctx.db.transaction(accountId, async (tx) => {
      await cancelWork(ctx, tx, { runbook: await lockRunbook(ctx, tx, id), message: restored });
    });
  }
  return open.length;
}

const restored =
  'The database was restored from a backup. Check what is on the branch already, then retry the runbook.';
