// Writes the status of pull requests. No other file does so. The same transaction updates the queue's counters, from
// which the depth is read, and adds the event. The caller holds the lock of the queue's row.
import type { Actor } from '../../../domain/queue/requests/admission.ts';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { changedAction } from '../../../domain/events/queue-events.ts';
import type { BlockCode, ResetCode } from '../../../domain/queue/model/snapshot.ts';
import {
  blockText,
  isQueued,
  isTerminal,
  statusText,
  transition,
  type PullRequestEvent,
} from '../../../domain/queue/model/status.ts';
import { planLabels, type LabelWrite } from '../../../domain/queue/requests/labels.ts';
import { appendEvents, type NewEvent } from '../../events/index.ts';
import type { Transaction } from '../../../platform/database.ts';
import { cutText } from '../../../platform/storable-text.ts';
import { wakeOpenVerifications } from '../../previews/index.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { configurationOf, labelRulesOf } from './rules-in-force.ts';
import { readFailedChecksOf } from './failed-checks.ts';
import type { PullRequestRow, QueueRow } from './queue.entities.ts';

const notifyWithinMs = { open: 10_000, asked: 5_000 } as const;

/** What one transaction on one queue needs: the locked row, the time, and the events to append, in order. */
export interface QueueWork {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly queue: QueueRow;
  readonly now: Date;
  readonly events: NewEvent[];
  /** Pull requests whose labels may need a change. */
  readonly relabelled: Set<PullRequestRow>;
  /** Pull requests that changed. Each gets an event at the end, unless the transaction has another one about it. */
  readonly changed: Set<PullRequestRow>;
  /** The repository, as read under the queue's lock. Null: not read yet. `repositoryOf` reads it. */
  repository: RepositoryRow | null;
}

export function startWork(
  ctx: Context,
  tx: Transaction,
  queue: QueueRow,
  repository: RepositoryRow | null = null,
): QueueWork {
  return { ctx, tx, queue, now: ctx.clock(), events: [], relabelled: new Set(), changed: new Set(), repository };
}

/**
 * The repository of the queue, read once under the queue's lock. A change of its configuration or of `active` takes
 * this lock too, so both stay as they are until the commit.
 */
export async function repositoryOf(work: QueueWork): Promise<RepositoryRow> {
  work.repository ??= await work.tx.load(RepositoryEntity, work.queue.repositoryId);
  if (work.repository === null) throw new Error(`There is no repository ${work.queue.repositoryId}.`);
  return work.repository;
}

export async function finishWork(work: QueueWork): Promise<void> {
  await quoteChecks(work);
  announceChanges(work);
  await appendEvents(work.ctx, work.tx, work.events);
  await planLabelWrites(work);
  const left = [...work.relabelled].filter(({ status }) => isTerminal(status));
  await wakeOpenVerifications(
    work.ctx,
    work.tx,
    left.map(({ id }) => id),
  );
}

/** Adds an event for each change of a pull request that no other event tells, so that subscribers hear of it. */
function announceChanges(work: QueueWork): void {
  const told = new Set(work.events.map(({ pullRequestId }) => pullRequestId));
  for (const row of work.changed) if (!told.has(row.id)) announce(work, row, changedAction);
}

const longestQuote = 2_000;

/**
 * Adds the host's messages about the failed checks to each event of a block by a failed check (`message`, interface
 * 6.1).
 */
async function quoteChecks({ ctx, tx, events }: QueueWork): Promise<void> {
  const blocked = events.flatMap((event, at) => {
    const { action, pullRequestId, payload } = event;
    const names: unknown = payload?.['failedChecks'];
    return action === 'blocked' && typeof pullRequestId === 'string' && Array.isArray(names)
      ? [{ at, event, pullRequestId, names }]
      : [];
  });
  const failed = await readFailedChecksOf(ctx, tx, blocked);
  for (const { at, event, pullRequestId } of blocked) {
    const checks = failed.get(pullRequestId) ?? [];
    const message = checks.flatMap(({ name, summary }) => (summary ? [`${name}: ${summary}`] : [])).join('\n');
    if (message !== '')
      events[at] = { ...event, payload: { ...event.payload, message: cutText(message, longestQuote) } };
  }
}

/** Plans a reply to a person, which is written once. `key` identifies the request that is answered. */
export async function planReply(
  { ctx, tx, queue, now }: QueueWork,
  pullRequestId: string,
  reply: { readonly key: string; readonly body: string },
): Promise<void> {
  await tx.send(
    `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at) values ($1, $2, $3, 'reply', $4, $5, $6)
     on conflict (account_id, queue_id, kind, key) do nothing`,
    [ctx.accountId, queue.id, pullRequestId, `${pullRequestId}:${reply.key}`, JSON.stringify(reply), now.toISOString()],
  );
}

async function planLabelWrites(work: QueueWork): Promise<void> {
  if (work.relabelled.size === 0) return;
  const rules = labelRulesOf(configurationOf(await repositoryOf(work)));
  await writeLabelIntents(
    work,
    [...work.relabelled].flatMap((row) => planLabels(row, rules).map((write) => ({ id: row.id, write }))),
  );
}

export async function planLabelWrite(work: QueueWork, pullRequestId: string, write: LabelWrite): Promise<void> {
  await writeLabelIntents(work, [{ id: pullRequestId, write }]);
}

/**
 * Writes one intent for each label of a pull request, with the newest wanted state. All intents are written by one
 * statement, because many pull requests may leave the line at once.
 */
async function writeLabelIntents(
  { ctx, tx, queue, now }: QueueWork,
  writes: readonly { readonly id: string; readonly write: LabelWrite }[],
): Promise<void> {
  if (writes.length === 0) return;
  const wanted = new Map(writes.map(({ id, write }) => [`${id}:${write.label}`, { id, write }]));
  const rows = [...wanted].map(([key, { id, write }]) => ({ key, id, payload: { ...write, at: now.getTime() } }));
  await tx.send(
    `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at)
     select $1, $2, w.id, 'label', w.key, w.payload, $4 from jsonb_to_recordset($3::jsonb) as w (id bigint, key text, payload jsonb)
     on conflict (account_id, queue_id, kind, key) do update set state = 'planned', payload = excluded.payload, planned_at = excluded.planned_at,
       attempt = 0, next_try_at = null, concluded_at = null`,
    [ctx.accountId, queue.id, JSON.stringify(rows), now.toISOString()],
  );
}

/**
 * The empty options of a queueing request. A dequeue resets the options to these, so that the next request starts
 * without options.
 */
export const noOptions = {
  skipLine: false,
  skipLineReason: null,
  skipValidation: false,
  requestedBy: null,
  mergeRequestedAt: null,
  mergeRequestedBy: null,
} as const;

/** Halts the queue with a reason for users: planning and landing stop, admission continues. */
export function haltWork(work: QueueWork, reason: string): void {
  const { queue, now } = work;
  queue.haltedReason = reason;
  queue.haltedAt = now;
  work.events.push({
    repositoryId: queue.repositoryId,
    queueId: queue.id,
    action: 'queue_halted',
    payload: { reason },
  });
}

/** Ends a halt whose cause has ended by itself. */
export function resumeWork(work: QueueWork): void {
  const { queue } = work;
  Object.assign(queue, { haltedReason: null, haltedAt: null });
  work.events.push({
    repositoryId: queue.repositoryId,
    queueId: queue.id,
    action: 'queue_resumed',
    payload: { reason: null },
  });
}

export interface Reason {
  /** Null: the reason has no code, for example a running check. */
  readonly code: BlockCode | ResetCode | null;
  /** The sentence for users. Absent: the sentence of the code. */
  readonly text?: string;
  /** Who must act next. Required if there is no code. */
  readonly actor?: Actor;
  readonly failedChecks?: readonly string[];
}

/**
 * Changes the status of a pull request by the table of transitions. A pull request that enters the line gets the next
 * rank. When it leaves, the columns about its stay in line are cleared. The caller adds the event that the interface
 * names. The interface names none for pull requests that are closed or become pending.
 */
export function writeStatus(
  work: QueueWork,
  pullRequest: PullRequestRow,
  event: PullRequestEvent,
  reason?: Reason,
): void {
  const from = pullRequest.status;
  const to = transition(from, event);
  if (to === null) throw new DomainError('CONFLICT', `A ${from} pull request cannot ${event}.`);
  const { queue, now } = work;
  // A queue's counters count its own pull requests only. `moveToQueueOfBase` alone moves a pull request to another
  // queue, and locks both.
  if (pullRequest.queueId !== queue.id)
    throw new DomainError('INTERNAL', `#${pullRequest.number} is in queue ${pullRequest.queueId}, not in ${queue.id}.`);
  count(queue, from, -1);
  count(queue, to, 1);
  pullRequest.status = to;
  setReason(pullRequest, reason);
  if (!isQueued(to)) leaveLine(pullRequest);
  else if (!isQueued(from) || event === 'requeue') enterLine(work, pullRequest);
  if (isTerminal(to)) endWaits(pullRequest);
  if (to === 'merged') pullRequest.mergedAt = now;
  if (to === 'closed') pullRequest.closedAt = now;
  if (event === 'reopen') pullRequest.closedAt = null;
  if (event !== 'tag' && event !== 'reset') work.relabelled.add(pullRequest);
  if (event === 'close' || event === 'pend') work.changed.add(pullRequest);
  scheduleNotification(work, pullRequest);
}

function setReason(pullRequest: PullRequestRow, reason: Reason | undefined): void {
  pullRequest.statusCode = reason?.code ?? null;
  pullRequest.statusText = reason?.text ?? (reason?.code ? statusText(reason.code) : null);
  pullRequest.statusActor = reason?.actor ?? null;
  pullRequest.failedChecks = [...(reason?.failedChecks ?? [])];
}

function enterLine({ queue, now }: QueueWork, pullRequest: PullRequestRow): void {
  pullRequest.rank = queue.nextRank;
  queue.nextRank += 1;
  pullRequest.queuedAt = now;
  pullRequest.preconditionsHeldAt = now;
  pullRequest.topAnnounced = false;
  pullRequest.stuckAnnounced = false;
  pullRequest.requeueAttempts = 0;
  clearLine(pullRequest);
}

function leaveLine(pullRequest: PullRequestRow): void {
  pullRequest.rank = null;
  clearLine(pullRequest);
  // A merged pull request keeps the start of its wait, for analytics. Other waits are not counted.
  if (pullRequest.status !== 'merged') pullRequest.preconditionsHeldAt = null;
}

/** Clears the affected targets, of which the landing has its own copy, and the awaited head. */
function endWaits(pullRequest: PullRequestRow): void {
  pullRequest.affectedTargets = null;
  pullRequest.awaited = null;
}

/**
 * Schedules a new status comment or check at the host. The status of a blocked or merged pull request is published at
 * once. Other changes are collected for some seconds, because many of them follow each other after a pull request
 * enters the line, and each publication costs a call and a workflow step.
 */
export function scheduleNotification({ now }: Pick<QueueWork, 'now'>, pullRequest: PullRequestRow): void {
  const isEnd = pullRequest.status === 'blocked' || pullRequest.status === 'merged';
  const notifyUntil = now.getTime() + (pullRequest.status === 'open' ? notifyWithinMs.open : notifyWithinMs.asked);
  const notifyAt = isEnd ? now.getTime() : Math.min(notifyUntil, pullRequest.notifyAt?.getTime() ?? notifyUntil);
  pullRequest.notifyAt = new Date(notifyAt);
}

function clearLine(pullRequest: PullRequestRow): void {
  pullRequest.reorderedForFailure = false;
  pullRequest.timesPassed = 0;
  pullRequest.bisectionGroup = null;
  pullRequest.bisectionMax = null;
  pullRequest.bisectionAttempts = 0;
  pullRequest.bisectionPhase = 'in_place';
  pullRequest.conflictParent = null;
  pullRequest.conflictAfter = null;
}

function count(queue: QueueRow, status: PullRequestRow['status'], by: 1 | -1): void {
  if (status === 'queued') queue.waiting += by;
  if (status === 'tagged') queue.tagged += by;
}

export function blockPullRequest(
  work: QueueWork,
  pullRequest: PullRequestRow,
  reason: Reason & { readonly code: BlockCode; readonly message?: string },
): void {
  const failedChecks = reason.failedChecks ?? [];
  writeStatus(work, pullRequest, 'block', { ...reason, text: reason.text ?? blockText(reason.code, failedChecks) });
  announce(work, pullRequest, 'blocked', {
    ...(reason.code === 107 && { failedChecks }),
    ...(reason.message !== undefined && { message: reason.message }),
  });
}

/**
 * Adds the event that a user took the pull request out of the line. The event has a code; the pull request has none
 * (interface 6.2).
 */
export function announceDequeued(work: QueueWork, pullRequest: PullRequestRow): void {
  announce(work, pullRequest, 'dequeued', { statusCode: 104, statusText: statusText(104) });
}

/** Adds an event about a pull request, with the present facts of its row. */
export function announce(
  work: QueueWork,
  pullRequest: PullRequestRow,
  action: string,
  extra: Readonly<Record<string, unknown>> = {},
): void {
  scheduleNotification(work, pullRequest);
  work.events.push({
    repositoryId: pullRequest.repositoryId,
    queueId: work.queue.id,
    pullRequestId: pullRequest.id,
    action,
    payload: { ...describe(pullRequest), ...factsOf(action, pullRequest), ...extra },
  });
}

// These are facts for analytics, which the row loses at the next request.
function factsOf(action: string, row: PullRequestRow): Record<string, unknown> {
  if (action === 'added_to_batch') return { preconditionsHeldAt: row.preconditionsHeldAt ?? null };
  if (action !== 'merged') return {};
  const wasInLine = row.mergedByQueue === true || (row.preconditionsHeldAt ?? null) !== null;
  return {
    mergedAt: row.mergedAt ?? null,
    mergedByQueue: row.mergedByQueue ?? false,
    queuedAt: wasInLine ? (row.queuedAt ?? null) : null,
    syncCount: row.syncCount,
  };
}

export function describe(pullRequest: PullRequestRow): Record<string, unknown> {
  return {
    number: pullRequest.number,
    author: pullRequest.author,
    status: pullRequest.status,
    skipLine: pullRequest.skipLine,
    statusCode: pullRequest.statusCode ?? null,
    statusText: pullRequest.statusText ?? null,
  };
}
