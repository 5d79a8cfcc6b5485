// What a runbook needs done outside of a transaction: what is due is read again, done so that doing it twice is one, and
// what came of it is written where the rows still say that it is wanted.
import { quietFor, type Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import {
  decideRunbook,
  hostGivenUp,
  isHostGivenUp,
  pauseAfter,
  type RunbookCall,
  type RunbookStep,
} from '../../../domain/runbooks/drive.ts';
import { HostRefused } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { tellingStatus, writeLeaf } from '../steps.writer.ts';
import { attend } from './supervise.ts';
import type { RunbookAttending } from './attending.ts';
import { openPullRequest, refreshPullRequest, retargetPullRequest, type Called } from './publishing.ts';
import { pushCommit } from './pushing.ts';
import { askToQueue } from './queueing.ts';
import { untried } from './runbook.advance.ts';
import { lockRows, situationOf, type RunbookRows } from './runbook.rows.ts';

/** Does the one thing that is due, and answers what came of it in words. */
export async function carryOutRunbook(ctx: Context, runbookId: string, attending: RunbookAttending): Promise<string> {
  const quiet = quietFor(ctx, { runbookId });
  const { step, rows } = await ctx.db.transaction(
    ctx.accountId,
    async (tx): Promise<{ readonly step: RunbookStep; readonly rows: RunbookRows }> => {
      const locked = await lockRows(ctx, tx, runbookId);
      return { step: decideRunbook(situationOf(locked), ctx.clock().getTime()), rows: locked };
    },
  );
  if (step.kind === 'attend') return await attend(ctx, runbookId, { work: step.work, attending });
  if (step.kind !== 'call') return 'nothing was left to do';
  const { call } = step;
  try {
    const called = await carryOutCall(quiet, rows, call);
    await quiet.db.transaction(ctx.accountId, async (tx) => {
      const now = await lockRows(quiet, tx, runbookId);
      await tellingStatus(quiet, tx, now.runbook, async () => {
        Object.assign(now.runbook, untried);
        await called.write(tx, now);
      });
    });
    return called.words;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const isFinal = error instanceof HostRefused || error instanceof DomainError;
    await quiet.db.transaction(ctx.accountId, async (tx) => {
      const now = await lockRows(quiet, tx, runbookId);
      await tellingStatus(quiet, tx, now.runbook, async () => {
        const failed = isFinal ? words : putOff(quiet, now, words);
        if (failed !== null) await refuse(quiet, tx, now, { call, words: failed });
      });
    });
    return isFinal ? `refused: ${words}` : `it failed, and is tried again: ${words}`;
  }
}

async function carryOutCall(ctx: Context, rows: RunbookRows, call: RunbookCall): Promise<Called> {
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

/** To be tried again. Null: it will be; else it was tried for long enough, and the words say so. */
function putOff(ctx: Context, { runbook }: RunbookRows, words: string): string | null {
  const now = ctx.clock();
  runbook.failingSince ??= now;
  if (isHostGivenUp(runbook.failingSince.getTime(), now.getTime())) return hostGivenUp(words);
  runbook.calls += 1;
  runbook.callAt = new Date(now.getTime() + pauseAfter(runbook.calls));
  runbook.problem = words;
  return null;
}

/** The leaf that waits for it fails; where none does, it is asked for no more, and the words stay. */
async function refuse(
  ctx: Context,
  tx: Transaction,
  rows: RunbookRows,
  { call, words }: { readonly call: RunbookCall; readonly words: string },
): Promise<void> {
  const { runbook, leaves, commits, pullRequests } = rows;
  Object.assign(runbook, untried);
  const leaf = leaves.find(({ id, status }) => status === 'in_progress' && commits.some(({ stepId }) => stepId === id));
  if (leaf !== undefined) {
    await writeLeaf(ctx, tx, runbook, leaf, { to: 'failed', errorMessage: words });
    return;
  }
  runbook.problem = words;
  if (call.kind === 'open') runbook.publishRequestedAt = null;
  const row = call.kind === 'push' ? undefined : pullRequests.find(({ id }) => id === call.pullRequestId);
  if (row === undefined) return;
  if (call.kind === 'refresh') row.isStale = false;
  if (call.kind === 'queue') Object.assign(row, { queuedAt: ctx.clock(), queuedHead: row.headCommit });
  if (call.kind === 'retarget') row.baseBranch = runbook.targetBranch;
}
