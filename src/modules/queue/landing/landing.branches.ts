// update_pr_commits_before_stack_merge: the branches of a stack are moved to the commits that land, together with the
// base. One atomic update does all of it, so that no landing that is given up leaves rewritten branches behind.
import type { Context } from '../../../context.ts';
import { isManagedBranch } from '../../../domain/configuration/index.ts';
import { findLandedTogether } from '../../../domain/queue/requests/stacks.ts';
import type { RefUpdate } from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { configurationOf } from '../store/configuration.cache.ts';
import { PullRequestEntity } from '../store/queue.entities.ts';

/** Empty unless asked for. Never a base branch, nor one that several pull requests have as their head. */
export async function branchesOfStack(ctx: Context, loaded: LoadedBatch): Promise<readonly RefUpdate[]> {
  const { repository, members } = loaded;
  const configuration = configurationOf(repository);
  if (!configuration.merge_rules.merge_strategy.update_pr_commits_before_stack_merge) return [];
  const together = findLandedTogether(members);
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.find(PullRequestEntity, { id: { $in: together.map((member) => member.pullRequestId) } }),
  );
  const branches = new Map(rows.map((row) => [row.id, row.headBranch]));
  const isShared = (branch: string): boolean => rows.filter((row) => row.headBranch === branch).length > 1;
  return together.flatMap(({ pullRequestId, pinnedHead, ownCommit }) => {
    const branch = branches.get(pullRequestId);
    if (branch === undefined || !ownCommit || isShared(branch)) return [];
    if (isManagedBranch(configuration, branch, repository.defaultBranch)) return [];
    return [{ ref: `refs/heads/${branch}`, from: pinnedHead, to: ownCommit }];
  });
}
