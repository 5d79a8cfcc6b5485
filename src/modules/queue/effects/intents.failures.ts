// Handles a failed intent: ends it, postpones it, or halts its queue.
import type { Context } from '../../../context.ts';
import {
  awaitHost,
  decideNextAttempt,
  landingHaltText,
  maxEffectAttempts,
} from '../../../domain/queue/landing/host-retry.ts';
import { CallGivenBack, HostRefused, HostUnavailable, retryAtOf } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { toStorableJson } from '../../../platform/storable-text.ts';
import type { NewEvent } from '../../events/index.ts';
import { isBranchWork } from '../planning/branch-work.ts';
import { keepFailedUpdate, type SyncCause } from './branch-sync.ts';
import { PullRequestEntity, type IntentKind, type IntentRow } from '../store/queue.entities.ts';
import { lockIntent } from '../store/intents.ts';
import { changeQueue, lockQueue, noteHostWait } from '../store/queue.locks.ts';
import { startWork, finishWork, haltWork, announce, planReply, type QueueWork } from '../store/status.writer.ts';
import { backportComment, syncRefusedComment } from '../../../domain/queue/explain/branch-comments.ts';
import { maxLandingAttempts } from '../landing/landing.ts';

const unreadableMs = 10 * 60_000;
const longestOutageMs = 60 * 60_000;

/** Kinds of intents that only inform people. */
const textKinds: readonly IntentKind[] = ['comment', 'status_check', 'reply', 'label'];

/**
 * Returns whether the intent has ended or waits for the host. False: the caller throws the error, and the intent is
 * tried again.
 */
export async function endOrPostpone(ctx: Context, intent: IntentRow, error: unknown): Promise<boolean> {
  // The call was not made, so it neither counts as an attempt nor halts the queue.
  if (error instanceof CallGivenBack) return false;
  const now = ctx.clock().getTime();
  const retryAt = retryAtOf(error);
  // A host that asks to wait has not failed. The attempt is not counted, no queue is halted, and nothing is given up.
  if (retryAt !== null && retryAt > now) {
    await waitForHost(ctx, intent, { retryAt, now });
    return true;
  }
  if (intent.kind === 'land') {
    await haltIfUnrecoverable(ctx, intent, error);
    ctx.meter.count('interlock_retries_total', { what: intent.kind });
    return false;
  }
  // A refused notification would be refused again in every turn, and nothing depends on it. So it is ended.
  if (error instanceof HostRefused) {
    const isRequested = intent.kind === 'backport' || intent.payload['cause'] === 'asked';
    return await giveUp(ctx, intent, {
      reason: error.message,
      // A person waits for an answer.
      ...(isRequested && { because: `the code host answered "${error.message}"` }),
    });
  }
  const attempts = intent.attempt + 1;
  if (isBranchWork(intent.kind)) {
    if (!isGivenUp(ctx, intent, error)) return false;
    const isUnavailable = error instanceof HostUnavailable;
    return await giveUp(ctx, intent, {
      reason: reasonOf(error),
      because: isUnavailable ? 'the code host could not be reached for an hour' : `it failed ${attempts} times`,
      isOutage: isUnavailable,
    });
  }
  const waitMs = decideNextAttempt(textKinds.includes(intent.kind) ? 'text' : 'step', attempts);
  if (waitMs === null) return await giveUp(ctx, intent, { reason: reasonOf(error), attempts });
  await postpone(ctx, intent, waitMs);
  ctx.meter.count('interlock_retries_total', { what: intent.kind });
  return false;
}

async function waitForHost(
  ctx: Context,
  intent: IntentRow,
  { retryAt, now }: { readonly retryAt: number; readonly now: number },
): Promise<void> {
  const at = new Date(now + awaitHost(0, { retryAt, now })).toISOString();
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockQueue(tx, intent.queueId);
    await tx.send(
      `update intent set next_try_at = $3 where account_id = $1 and id = $2 and state in ('planned', 'started')`,
      [ctx.accountId, intent.id, at],
    );
    // The line does not wait for texts and conclusions, so no explanation names their wait.
    if (![...textKinds, 'conclude_pull_request'].includes(intent.kind))
      await noteHostWait(ctx, tx, { queueId: intent.queueId, retryAt });
    await tx.send(
      'update queue set next_look_at = least(next_look_at, $3::timestamptz) where account_id = $1 and id = $2',
      [ctx.accountId, intent.queueId, at],
    );
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether branch work, which people requested, is given up. Twenty attempts take two minutes, and a host may be
 * unavailable for longer. So work that fails because the host is unavailable is not given up within the first hour.
 */
function isGivenUp(ctx: Context, { attempt, plannedAt }: IntentRow, error: unknown): boolean {
  const mayRecover = error instanceof HostUnavailable && ctx.clock().getTime() - plannedAt.getTime() < longestOutageMs;
  return attempt + 1 >= maxEffectAttempts && !mayRecover;
}

/** Plans the next attempt, unless the intent was planned again in the meantime with a payload that was never tried. */
async function postpone(ctx: Context, intent: IntentRow, waitMs: number): Promise<void> {
  const at = new Date(ctx.clock().getTime() + waitMs).toISOString();
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockQueue(tx, intent.queueId);
    const postponed = await tx.query(
      `update intent set attempt = attempt + 1, next_try_at = $3
       where account_id = $1 and id = $2 and state in ('planned', 'started') and payload = $4::jsonb returning 1`,
      [ctx.accountId, intent.id, at, JSON.stringify(intent.payload)],
    );
    if (postponed.length === 0) return;
    await tx.send(
      'update queue set next_look_at = least(next_look_at, $3::timestamptz) where account_id = $1 and id = $2',
      [ctx.accountId, intent.queueId, at],
    );
  });
}

interface GivenUp {
  /** The message of the last error. */
  readonly reason: string;
  /** The reason, as a part of a sentence for the people who requested the work. Absent: nobody is informed. */
  readonly because?: string;
  /** Whether the code host was unavailable. An automatic update is then planned again for the same head. */
  readonly isOutage?: boolean;
  /**
   * How many times a notification was tried before it was given up. Absent: the event log gets no event about the
   * failure.
   */
  readonly attempts?: number;
}

async function giveUp(ctx: Context, intent: IntentRow, end: GivenUp): Promise<true> {
  const { reason } = end;
  ctx.log.warn({ intent: intent.id, kind: intent.kind, reason }, 'An effect on the host was given up.');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // The line may wait for branch work (update_before_requeue), and other work of the same kind may wait too.
    const queue = isBranchWork(intent.kind)
      ? await changeQueue(ctx, tx, intent.queueId)
      : await lockQueue(tx, intent.queueId);
    const ended = await tx.query(
      `update intent set state = 'failed', outcome = $3, concluded_at = $4 where account_id = $1 and id = $2 and state in ('planned', 'started') and payload = $5::jsonb returning 1`,
      [ctx.accountId, intent.id, toStorableJson({ reason }), ctx.clock().toISOString(), JSON.stringify(intent.payload)],
    );
    if (ended.length === 0) return;
    const work = startWork(ctx, tx, queue);
    if (end.because !== undefined) await reportGivenUp(work, intent, end.because);
    if (intent.kind === 'sync' && intent.payload['cause'] !== 'asked' && !end.isOutage)
      await endAutomaticUpdate(work, intent, end.because ?? reason);
    if (end.attempts !== undefined)
      work.events.push(await createFailureEvent(tx, intent, { reason, attempts: end.attempts }));
    await finishWork(work);
  });
  return true;
}

/** Nobody requested the update, so only the event log has the failure. The next update waits for another head. */
async function endAutomaticUpdate(work: QueueWork, intent: IntentRow, reason: string): Promise<void> {
  const cause = intent.payload['cause'] as SyncCause;
  const row = await work.tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
  await keepFailedUpdate(work.ctx, work.tx, { row, cause });
  announce(work, row, 'sync_failed', { cause, base: null, paths: [], reason });
}

/** Returns the event `notification_failed`. The host cannot show this failure, so only the event log has it. */
async function createFailureEvent(
  tx: Transaction,
  { pullRequestId, queueId, kind }: IntentRow,
  { reason, attempts }: { readonly reason: string; readonly attempts: number },
): Promise<NewEvent> {
  const row = await tx.em.findOneOrFail(PullRequestEntity, { id: pullRequestId ?? '' });
  return {
    repositoryId: row.repositoryId,
    queueId,
    pullRequestId: row.id,
    action: 'notification_failed',
    payload: { number: row.number, kind, reason, tries: attempts },
  };
}

/**
 * Halts the queue if a started landing fails for too long. Only a read of the host shows whether the landing happened,
 * so no time limit ends a landing. The queue is halted if the host could not be read for ten minutes or the landing was
 * tried twenty times. Admission continues. If the landing has ended, an error after its end does not halt the queue,
 * because nothing would end that halt.
 */
async function haltIfUnrecoverable(ctx: Context, { id, queueId }: IntentRow, error: unknown): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const { haltedReason } = await lockQueue(tx, queueId);
    const intent = await lockIntent(tx, id);
    if (intent.state !== 'started' || haltedReason) return;
    const isUnreadable =
      error instanceof HostUnavailable &&
      intent.startedAt &&
      ctx.clock().getTime() - intent.startedAt.getTime() > unreadableMs;
    if (!isUnreadable && intent.attempt < maxLandingAttempts) return;
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, queueId));
    haltWork(work, landingHaltText(intent.batchId ?? '', { attempts: intent.attempt, reason: reasonOf(error) }));
    await finishWork(work);
  });
}

/**
 * Reports in the conversation that work was given up, because the last comment there says that the work has started.
 * The comment is planned and not written now, because the host may be down. `why` is the second half of a sentence.
 */
async function reportGivenUp(work: QueueWork, intent: IntentRow, why: string): Promise<void> {
  const { ctx, tx, now } = work;
  const row = await tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
  const requestedAt = String(intent.payload['requestedAt']);
  const reason = `${why}; ask again`;
  if (intent.kind === 'backport') {
    const target = String(intent.payload['target']);
    await tx.send(
      `update backport set state = 'refused', reason = $4, updated_at = $5
       where account_id = $1 and pull_request_id = $2 and target_branch = $3 and state in ('planned', 'waiting')`,
      [ctx.accountId, row.id, target, why, now.toISOString()],
    );
    announce(work, row, 'backport_failed', { target, backport: null, reason: why });
    const body = backportComment(target, { kind: 'refused', message: reason });
    await planReply(work, row.id, { key: `backport:${target}:${requestedAt}`, body });
  }
  if (intent.kind === 'sync' && intent.payload['cause'] === 'asked') {
    announce(work, row, 'sync_failed', { cause: 'asked', base: null, paths: [], reason: why });
    const body = syncRefusedComment({ baseBranch: row.baseBranch, message: reason });
    await planReply(work, row.id, { key: `sync:${requestedAt}`, body });
  }
}
