// Gives a stacked pull request the base branch of its queue before serial mode updates its head.
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import { HostUnavailable } from '../../../hosts/port.ts';
import { isBelowLanded } from '../facts/stacks.ts';
import { forLanding, syncPullRequest, tryRetarget } from '../host-sync/pull-requests.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { PullRequestEntity, type BatchMemberRow, type PullRequestRow } from '../store/queue.entities.ts';
import { blockMembers } from './batch.refusals.ts';

/**
 * Reads the row of the member. If the pull request below has landed and the member is still based on its branch, the
 * host gets the base branch of the queue first. The landing retargets the member too, but a batch may begin before that.
 * GitHub starts no workflow for a head that conflicts with the base branch of its pull request, and a workflow may run
 * only for some base branches. A later change of the base branch starts no workflow either, so the new head would never
 * be tested. Null: the head must not be updated, because the member is blocked or the planner will end the batch.
 */
export async function takeBaseOfQueue(
  ctx: Context,
  loaded: LoadedBatch,
  member: BatchMemberRow,
): Promise<PullRequestRow | null> {
  const { batch, host, baseBranch } = loaded;
  const [row, below] = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const found = await tx.em.findOneOrFail(PullRequestEntity, { id: member.pullRequestId });
    const isBased = found.baseBranch === baseBranch || !(await isBelowLanded(tx, found));
    return [found, isBased ? null : await tx.em.findOneOrFail(PullRequestEntity, { id: found.belowId ?? '' })] as const;
  });
  if (below === null) return await afterChange(ctx, row);
  // With its newest head, the row below shows whether the landing left out commits.
  await syncPullRequest(ctx, host, below.number, forLanding);
  const { row: now, refusal } = await tryRetarget(ctx, host, {
    number: row.number,
    base: baseBranch,
    isForLanding: true,
  });
  if (now !== null && (now.queueId !== batch.queueId || !isQueued(now.status))) return null;
  if (now?.baseBranch === baseBranch) return await afterChange(ctx, now);
  // Somebody has just put it on another pull request of the line.
  if (now !== null && now.baseBranch !== row.baseBranch) return null;
  if (refusal === null)
    throw new HostUnavailable(`The code host does not show ${baseBranch} as the base branch of #${row.number} yet`);
  const message = `its base branch is still ${row.baseBranch}, the branch of #${below.number}, which has landed, and the code host refuses to change it to ${baseBranch} (${refusal}). Change the base branch at the code host, and queue it again`;
  await blockMembers(ctx, loaded, [{ member, message }]);
  return null;
}

/**
 * Waits a second after a change of the base branch. GitHub's times have a resolution of one second. A workflow run that
 * begins in the second of the change may have tested the earlier base branch, so it would not count. Twice the second
 * allows for clocks that differ.
 */
async function afterChange(ctx: Context, row: PullRequestRow): Promise<PullRequestRow> {
  if (row.baseChangedAt && ctx.clock().getTime() - row.baseChangedAt.getTime() < 2_000) await delay(1_000);
  return row;
}
