// Finds out which branches and pull requests the service made. The name of a branch proves nothing: at GitHub anybody may
// push a branch called `mq-bot-1`, and a fork may have such a branch.
import type { Context } from '../../../context.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import type { HostPullRequest, HostedRepository } from '../../../hosts/port.ts';

type Opened = Pick<HostPullRequest, 'number' | 'headBranch' | 'headFork'>;

/** The batch that a bot branch of this name would belong to. Null: no batch has such a branch. */
export function batchOfBotBranch(branch: string): string | null {
  return /^mq-bot-([1-9][0-9]{0,17})$/.exec(branch)?.[1] ?? null;
}

/**
 * Returns the pull requests that are not bot pull requests. Bot pull requests have their own table and never enter the
 * queue.
 */
export async function withoutBots<Each extends Opened>(
  ctx: Context,
  repository: HostedRepository,
  opened: readonly Each[],
): Promise<Each[]> {
  const batchOf = (each: Opened): string | null =>
    batchOfBotBranch(
      ownHeadBranch({ ...each, headFork: each.headFork && `${each.headFork.owner}/${each.headFork.name}` }) ?? '',
    );
  const batchIds = opened.flatMap((each) => batchOf(each) ?? []);
  if (batchIds.length === 0) return [...opened];
  // This reads the table `batch` and not `bot_pull_request`, because the host may report a bot pull request before
  // Interlock has written its row.
  const known = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'batches_of_bot_branches',
    text: `select id::text as id from batch where account_id = $1 and repository_id = $2 and id = any ($3::bigint[])`,
    values: [ctx.accountId, repository.id, batchIds],
  });
  const batches = new Set(known.map(({ id }) => id));
  return opened.filter((each) => !batches.has(batchOf(each) ?? ''));
}
