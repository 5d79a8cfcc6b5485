// Handles users' requests to the queue. Each request is loaded, authorised and decided, and is written with its events
// in one transaction under the queue's lock.
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { NotAdmitted } from '../../../domain/queue/dry-run.ts';
import { isTerminal } from '../../../domain/queue/model/status.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { recordUserAction, requireAction, requireScope, type UserActionName } from '../../accounts/index.ts';
import { loadRepository } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import {
  enqueue,
  authoriseSkips,
  refuseSource,
  dequeue,
  type QueueSource,
  type SkipOptions,
} from '../admission/enqueue.ts';
import { readFactsOfHeads, type FactsOfHeads } from '../admission/facts-of-heads.ts';
import type { Transaction } from '../../../platform/database.ts';
import { isLandingStarted } from '../store/intents.ts';
import { keepOptions, type MergeOptions } from '../admission/merge-options.ts';
import type { AwaitedHead, PullRequestRow } from '../store/queue.entities.ts';
import { dryRun, type QueueImpact } from '../planning/dry-run.ts';
import type { QueueWork } from '../store/status.writer.ts';
import { checkTargets } from '../admission/affected-targets.ts';
import {
  changePullRequest,
  changeUnderLocks,
  findPullRequest,
  readFreshPullRequest,
  type PullRequestAnswer,
} from './pull-request.changes.ts';
import { compareHead, findReportedMerge, headStateNow, recordReportedMerge, requireJudged } from './update.service.ts';

export interface RepositoryRef {
  readonly owner: string;
  readonly name: string;
}

export interface PullRequestRef {
  readonly repository: RepositoryRef;
  readonly number: number;
}

export interface UpdateRequest extends PullRequestRef, MergeOptions {
  readonly headCommitSha?: string | null;
  readonly mergeCommitSha?: string | null;
}

export interface QueueRequest extends Omit<UpdateRequest, 'mergeCommitSha'>, SkipOptions {
  readonly source: QueueSource;
}

/**
 * Queues a pull request (interface 4.3, `queue`). Idempotent. Afterwards the pull request is queued, pending or
 * blocked. None of these statuses is a refusal.
 */
export async function queuePullRequest(ctx: Context, request: QueueRequest): Promise<PullRequestAnswer> {
  requireAction(ctx, 'queue');
  checkTargets(request.affectedTargets);
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  refuseSource(repository, request.source);
  await authoriseSkips(ctx, repository, request);
  const known = await readFreshPullRequest(ctx, repository, request.number);
  return await queueKnown(ctx, { repository, known }, request);
}

/** Says what `queuePullRequest` would do, judged by the rows. The host is not called, and nothing is written. */
export async function previewQueueing(ctx: Context, request: QueueRequest): Promise<PullRequestPreview> {
  requireAction(ctx, 'queue');
  checkTargets(request.affectedTargets);
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  refuseSource(repository, request.source);
  await authoriseSkips(ctx, repository, request);
  const known = await findPullRequest(ctx, repository, request.number);
  let notAdmitted: NotAdmitted | null = null;
  const impacts = await dryRun(ctx, repository.id, async (dryContext) => {
    await queueKnown(dryContext, { repository, known }, request);
    notAdmitted = notAdmittedOf(await findPullRequest(dryContext, repository, request.number));
  });
  return { pullRequestId: known.id, impacts, notAdmitted };
}

function notAdmittedOf({ number, status, statusText }: PullRequestRow): NotAdmitted | null {
  return status === 'blocked' || status === 'pending' ? { number, status, text: statusText ?? '' } : null;
}

export interface PullRequestPreview extends PullRequestAnswer {
  readonly impacts: readonly QueueImpact[];
  /** Null or absent: the request queues nothing, or the pull request would be in line. */
  readonly notAdmitted?: NotAdmitted | null;
}

async function queueKnown(
  ctx: Context,
  { repository, known }: { readonly repository: RepositoryRow; readonly known: PullRequestRow },
  request: QueueRequest,
): Promise<PullRequestAnswer> {
  const change = async (work: QueueWork, row: PullRequestRow, facts: FactsOfHeads): Promise<void> => {
    if (request.headCommitSha && request.headCommitSha !== row.headSha) {
      throw new DomainError(
        'HEAD_MOVED',
        `pull_request.head_commit_sha is ${request.headCommitSha}, but the head is ${row.headSha}.`,
        'pull_request.head_commit_sha',
      );
    }
    await keepOptions(work, row, request);
    const actions = newActions(row, request);
    await enqueue(work, { repository, row, facts }, { ...request, by: ctx.actor.email });
    await recordActions(work, request, actions);
  };
  return await changeUnderLocks(ctx, known, { readWithLocks: readFactsOf(ctx, known), change });
}

/** Reads what the admission of a pull request depends on, so that the locks are held for one round trip less. */
function readFactsOf(ctx: Context, known: PullRequestRow) {
  return async (tx: Transaction, queueId: string): Promise<FactsOfHeads> =>
    await readFactsOfHeads(ctx, tx, {
      queue: { id: queueId, repositoryId: known.repositoryId },
      heads: [known.headSha],
    });
}

function isRequested({ status }: PullRequestRow): boolean {
  return status === 'queued' || status === 'tagged' || status === 'pending';
}

/** The user actions of the new parts of a request. An option that was already set is no user action. */
function newActions(row: PullRequestRow, request: QueueRequest): UserActionName[] {
  const actions: UserActionName[] = isRequested(row) ? [] : ['pull_request_queued'];
  if (request.skipLine && !row.skipLine) actions.push('pull_request_skip_line');
  if (request.skipValidation && !row.skipValidation) actions.push('pull_request_skip_validation');
  return actions;
}

async function recordActions(
  { ctx, tx }: QueueWork,
  { repository, number }: PullRequestRef,
  actions: readonly UserActionName[],
): Promise<void> {
  const target = `${repository.owner}/${repository.name}#${number}`;
  for (const action of actions) await recordUserAction(ctx, tx, { action, target });
}

/**
 * Stores targets, message and head (interface 4.3, `update`). The status changes only if the request reports a merge
 * outside the queue.
 */
export async function updatePullRequest(ctx: Context, request: UpdateRequest): Promise<PullRequestAnswer> {
  requireScope(ctx, 'queue:write');
  checkTargets(request.affectedTargets);
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  const known = await readFreshPullRequest(ctx, repository, request.number);
  const { headCommitSha: head, mergeCommitSha } = request;
  const merge = mergeCommitSha
    ? await findReportedMerge(ctx, repository, { row: known, commit: mergeCommitSha })
    : null;
  const compared = head ? await compareHead(ctx, repository, { row: known, commit: head }) : 'present';
  await passFailpoint('report:judged');
  return await changePullRequest(ctx, known, async (work, row) => {
    const headState = head ? headStateNow(compared, { head, currentHead: row.headSha }) : compared;
    if (merge !== null) requireJudged(row, known);
    const targets = request.affectedTargets ? await readTargets(work, row.id) : null;
    const before = reportedOf(row, targets);
    if (head && headState === 'unseen' && !isTerminal(row.status)) row.awaited = awaitedOf(head, request);
    else if (headState === 'present') await keepOptions(work, row, request);
    if (merge !== null) await recordReportedMerge(work, row, merge);
    // A request that changes nothing is no user action.
    if (reportedOf(row, targets) !== before) await recordActions(work, request, ['pull_request_updated']);
  });
}

/** What `update` may change, as one text. `stored` are the targets in the database, which the row does not load. */
function reportedOf(
  { status, affectedTargets, mergeTitle, mergeBody, awaited }: PullRequestRow,
  stored: readonly string[] | null,
): string {
  const targets = affectedTargets === undefined ? stored : affectedTargets;
  return JSON.stringify([status, targets, mergeTitle ?? null, mergeBody ?? null, awaited ?? null]);
}

async function readTargets({ ctx, tx }: QueueWork, id: string): Promise<readonly string[] | null> {
  const [row] = await tx.query<{ targets: string[] | null }>(
    'select affected_targets as targets from pull_request where account_id = $1 and id = $2',
    [ctx.accountId, id],
  );
  return row?.targets ?? null;
}

function awaitedOf(head: string, { affectedTargets, mergeCommitMessage }: UpdateRequest): AwaitedHead {
  return {
    head,
    affectedTargets: affectedTargets ?? null,
    mergeCommitMessage: mergeCommitMessage
      ? { title: mergeCommitMessage.title ?? null, body: mergeCommitMessage.body ?? null }
      : null,
  };
}

const landingWaitMs = 2_000;

/**
 * Takes a pull request out of the line and clears its options (interface 4.3, `dequeue`; rule 2 of 3.1). Idempotent.
 */
export async function dequeuePullRequest(ctx: Context, request: PullRequestRef): Promise<PullRequestAnswer> {
  requireAction(ctx, 'dequeue');
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  return await dequeueKnown(ctx, await findPullRequest(ctx, repository, request.number), async (work, row) => {
    if (isRequested(row)) await recordActions(work, request, ['pull_request_dequeued']);
    return true;
  });
}

/**
 * Says what `dequeuePullRequest` would do. During a landing the preview is refused at once, because a preview does not
 * wait.
 */
export async function previewDequeueing(ctx: Context, request: PullRequestRef): Promise<PullRequestPreview> {
  requireAction(ctx, 'dequeue');
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  const known = await findPullRequest(ctx, repository, request.number);
  const impacts = await dryRun(
    ctx,
    repository.id,
    async (dryContext) => await takeOutKnown(dryContext, known, async () => true),
  );
  return { pullRequestId: known.id, impacts };
}

/**
 * Dequeues a pull request. `claim` runs in the same transaction. If `claim` returns false, the request was handled
 * before, and nothing is changed.
 */
export async function dequeueKnown(
  ctx: Context,
  known: PullRequestRow,
  claim: (work: QueueWork, row: PullRequestRow) => Promise<boolean>,
): Promise<PullRequestAnswer> {
  await waitForLanding(ctx, known.id);
  return await takeOutKnown(ctx, known, claim);
}

async function takeOutKnown(
  ctx: Context,
  known: PullRequestRow,
  claim: (work: QueueWork, row: PullRequestRow) => Promise<boolean>,
): Promise<PullRequestAnswer> {
  return await changePullRequest(ctx, known, async (work, row) => {
    if (!(await claim(work, row))) return;
    if (isTerminal(row.status))
      throw new DomainError('NOT_QUEUEABLE', `The pull request is ${row.status}; it is not in the queue.`);
    if (await isLandingStarted(work.ctx, work.tx, row.id)) throw landingInProgress();
    await dequeue(work, row);
  });
}

function landingInProgress(): DomainError {
  return new DomainError('LANDING_IN_PROGRESS', 'The pull request is being landed; it can no longer be dequeued.');
}

/**
 * Waits up to two seconds for the end of a landing, so that the caller gets its outcome. A started landing cannot be
 * stopped.
 */
async function waitForLanding(ctx: Context, pullRequestId: string): Promise<void> {
  const until = ctx.clock().getTime() + landingWaitMs;
  while (await ctx.db.transaction(ctx.accountId, async (tx) => await isLandingStarted(ctx, tx, pullRequestId))) {
    if (ctx.clock().getTime() >= until) throw landingInProgress();
    await delay(50);
  }
}
