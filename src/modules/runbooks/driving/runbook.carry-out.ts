// Carries out the calls of a runbook: pushes and calls of the code host. Calls run outside of a transaction.
import type { Context } from '../../../context.ts';
import { DomainError, isTemporary } from '../../../domain/errors.ts';
import { callGivenUp, hostGivenUp, pauseAfter, type RunbookCall } from '../../../domain/runbooks/drive.ts';
import { hostFailsSince, hostGivenUpMs, isHostGivenUp } from '../../../domain/turns.ts';
import { HostRefused, HostUnavailable, retryAtOf, toHostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { carryOutDue, delayNextCall, hostFailuresOf, type CarryOut } from '../../../platform/turns/index.ts';
import { writeLeaf } from '../steps.writer.ts';
import { superviseAgent } from './supervise.ts';
import type { RunbookDriving } from './agent-session.ts';
import { openPullRequest, refreshPullRequest, retargetPullRequest, type CallResult, numberOf } from './publishing.ts';
import { pushCommit } from './pushing.ts';
import { runbookKind, untried, type RunbookTypes } from './runbook.advance.ts';
import { type RunbookRows, pullRequestOf } from './runbook.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { queuePullRequest, syncPullRequest } from '../../queue/index.ts';
import { loadRepository } from '../../repositories/index.ts';
import { announcePullRequest } from './pull-requests.ended.ts';

const carryOut: CarryOut<RunbookTypes> = {
  kind: runbookKind,
  call: async (ctx, { rows, step }) => {
    const called = await carryOutCall(ctx, rows, step.call);
    return {
      message: called.message,
      write: async (tx, now) => {
        Object.assign(now.runbook, untried);
        await called.write(tx, now);
      },
    };
  },
  supervise: superviseAgent,
  // A supervised attempt writes its failure itself.
  failureOf: (_ctx, error, { step }) =>
    step.kind === 'supervise'
      ? null
      : {
          message: error instanceof Error ? error.message : String(error),
          isFinal: error instanceof HostRefused || (error instanceof DomainError && !isTemporary(error)),
          isHostAway:
            error instanceof HostUnavailable || (error instanceof DomainError && error.code === 'HOST_UNAVAILABLE'),
          retryAt: retryAtOf(error),
        },
  fail: async (ctx, tx, { rows, message, isFinal, isHostAway = false, due: { step } }) => {
    const failed = isFinal ? message : putOffCall(ctx, rows, { message, isHostAway });
    if (failed !== null && step.kind === 'call') await refuse(ctx, tx, { rows, call: step.call, message: failed });
  },
};

/** Carries out the call or the supervised work that is due. Returns the outcome as a sentence. */
export async function carryOutRunbook(ctx: Context, id: string, by: RunbookDriving): Promise<string> {
  return await carryOutDue(ctx, carryOut, { id, by });
}

async function carryOutCall(ctx: Context, rows: RunbookRows, call: RunbookCall): Promise<CallResult> {
  switch (call.kind) {
    case 'push':
      return await pushCommit(ctx, rows, call.leafId);
    case 'open':
      return await openPullRequest(ctx, rows, call.pullRequestId);
    case 'refresh':
      return await refreshPullRequest(ctx, rows, call.pullRequestId);
    case 'retarget':
      return await retargetPullRequest(ctx, rows, call.pullRequestId);
    case 'queue':
      return await askToQueue(ctx, rows, call.pullRequestId);
    default:
      return call satisfies never;
  }
}

/**
 * Schedules the next attempt of a failed call, and returns null. If the call has failed for too long, schedules
 * nothing, and returns a message.
 */
function putOffCall(
  ctx: Context,
  { runbook }: RunbookRows,
  { message, isHostAway }: { readonly message: string; readonly isHostAway: boolean },
): string | null {
  const now = ctx.clock();
  const failures = hostFailuresOf(runbook);
  const since = hostFailsSince(failures, now.getTime());
  if (since !== failures.failingSince) Object.assign(runbook, { failingSince: new Date(since), calls: 0 });
  if (isHostGivenUp(since, { now: now.getTime(), limitMs: hostGivenUpMs }))
    return isHostAway ? hostGivenUp(message) : callGivenUp(message);
  delayNextCall(runbook, { now, pauseAfter, problem: message });
  return null;
}

/**
 * Lets the leaf that waits for the call fail. If no leaf waits for the call, ends the request for the pull request, and
 * the runbook shows the message.
 */
async function refuse(
  ctx: Context,
  tx: Transaction,
  { rows, call, message }: { readonly rows: RunbookRows; readonly call: RunbookCall; readonly message: string },
): Promise<void> {
  const { runbook, leaves, commits, pullRequests } = rows;
  Object.assign(runbook, untried);
  const leaf = leaves.find(({ id, status }) => status === 'in_progress' && commits.some(({ stepId }) => stepId === id));
  if (leaf !== undefined) {
    await writeLeaf(ctx, tx, { runbook, leaf, to: 'failed', errorMessage: message });
    return;
  }
  runbook.problem = message;
  if (call.kind === 'open') runbook.publishRequestedAt = null;
  const row = call.kind === 'push' ? undefined : pullRequests.find(({ id }) => id === call.pullRequestId);
  if (row === undefined) return;
  if (call.kind === 'refresh') row.isStale = false;
  if (call.kind === 'queue') Object.assign(row, { queuedAt: ctx.clock(), queuedHead: row.headCommit });
  if (call.kind === 'retarget') row.baseBranch = runbook.targetBranch;
}

/**
 * Asks to queue a finished pull request in the name of the runbook's author, once for each head. The queue waits for
 * the pull request's checks, and says why it refuses a pull request. Throws HostUnavailable if the host does not show
 * the pull request yet, and CONFLICT if the repository was deactivated meanwhile.
 */
async function askToQueue(ctx: Context, rows: RunbookRows, id: string): Promise<CallResult> {
  const { repository, runbook } = rows;
  const row = pullRequestOf(rows, id);
  const number = numberOf(row);
  const actor = { ...ctx.actor, userId: runbook.authorUserId ?? null, email: runbook.authorEmail };
  const author = { ...ctx, actor: { ...actor, handle: runbook.authorHandle ?? null } };
  await passFailpoint('runbook:before_queue');
  const { owner, name } = repository;
  const place = { owner, name };
  try {
    await queuePullRequest(author, { repository: place, number, source: 'runbook' });
  } catch (error) {
    if (!(error instanceof DomainError && (error.code === 'NOT_FOUND' || error.code === 'NOT_QUEUEABLE'))) throw error;
    // Refuses again if the author may not see the repository.
    const { active } = await loadRepository(author, place, 'queue:write');
    // The pull request is queued when the repository is active again.
    if (!active) throw new DomainError('CONFLICT', error.message);
    if (error.code !== 'NOT_FOUND') throw error;
    const known = await syncPullRequest(ctx, toHostedRepository(repository), number);
    if (known !== null && !known.queueId) throw error;
    throw new HostUnavailable(`The code host did not show #${number}.`, { cause: error });
  }
  await passFailpoint('runbook:queued');
  return {
    message: `Asked to queue #${number}`,
    write: async (tx, now) => {
      const there = pullRequestOf(now, id);
      Object.assign(there, { queuedAt: ctx.clock(), queuedHead: row.headCommit });
      await announcePullRequest(ctx, tx, { runbook: now.runbook, pullRequest: there });
    },
  };
}
