// After a landing: what stood on it stands on the base branch now, and the host is told so.
import type { Context } from '../../../context.ts';
import { HostRefused } from '../../../hosts/port.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { configurationOf } from '../store/configuration.cache.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { hosted } from '../store/hosted-repository.ts';
import { readAbove } from '../host-sync/queue-of-branch.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

/** Whether nothing is left that has the landed branch as its base: only then may that branch go. Idempotent. */
export async function retargetAbove(
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
      await ctx.hosts(host.host).setBaseBranch(host, number, landed.baseBranch);
    } catch (error) {
      if (!(error instanceof HostRefused)) throw error;
      ctx.log.warn({ number, reason: error.message }, 'A pull request of a stack keeps the base branch that landed.');
      isLeft = false;
    }
    await syncPullRequest(ctx, host, number);
  }
  return isLeft;
}
