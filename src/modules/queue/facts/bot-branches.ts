// Finds out which branches and pull requests the service made. The name of a branch proves nothing: at GitHub anybody may
// push a branch called `mq-bot-1`, and a fork may have such a branch.
import type { Context } from '../../../context.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { hostClient, type HostPullRequest, type HostedRepository } from '../../../hosts/port.ts';

type Opened = Pick<HostPullRequest, 'number' | 'headBranch' | 'headFork'>;

/** The batch whose bot pull request this would be. Null: it is no bot pull request. */
function batchOf(each: Opened): string | null {
  const headFork = each.headFork && `${each.headFork.owner}/${each.headFork.name}`;
  return batchOfBotBranch(ownHeadBranch({ ...each, headFork }) ?? '');
}

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

/**
 * The bot pull requests that no clean-up closes: their worker was killed before it wrote their rows, and the clean-up of
 * their batch was over by then. The head must be the commit of the batch, because others may have made a branch with the
 * name of a bot branch.
 */
export async function findAbandonedBots(
  ctx: Context,
  repository: HostedRepository,
  opened: readonly HostPullRequest[],
): Promise<HostPullRequest[]> {
  const bots = opened.filter((each) => batchOf(each) !== null);
  if (bots.length === 0) return [];
  const found = await ctx.db.read<{ number: number }>(ctx.accountId, {
    name: 'abandoned_bot_pull_requests',
    text: `select o.number from unnest($3::int[], $4::bigint[], $5::text[]) as o (number, batch_id, head)
           join batch b on b.account_id = $1 and b.repository_id = $2 and b.id = o.batch_id and b.commit = o.head
           where b.cleaned_up_at is not null and not exists (
             select from bot_pull_request p where p.account_id = $1 and p.repository_id = $2 and p.number = o.number)`,
    values: [
      ctx.accountId,
      repository.id,
      bots.map(({ number }) => number),
      bots.map(batchOf),
      bots.map(({ headSha }) => headSha),
    ],
  });
  const numbers = new Set(found.map(({ number }) => number));
  return bots.filter(({ number }) => numbers.has(number));
}

/**
 * The bot branches that no clean-up deletes: their worker was delayed until the clean-up of the batch was over, and was
 * killed before it opened the bot pull request. The commit must be that of a batch that has been cleaned up, because
 * others may have made a branch with the name of a bot branch.
 */
export async function findAbandonedBranches(
  ctx: Context,
  repository: HostedRepository,
): Promise<readonly { readonly ref: string; readonly commit: string }[]> {
  // The refs are read before the rows, because the row of a batch is written before its branch is made.
  const refs = await hostClient(ctx, repository).listRefs('refs/heads/mq-bot-');
  const bots = refs.filter(({ ref }) => batchOfBotBranch(ref.slice('refs/heads/'.length)) !== null);
  if (bots.length === 0) return [];
  return await ctx.db.read<{ ref: string; commit: string }>(ctx.accountId, {
    name: 'abandoned_bot_branches',
    text: `select o.ref, o.commit from unnest($3::text[], $4::text[]) as o (ref, commit)
           where exists (select from batch b where b.account_id = $1 and b.repository_id = $2 and b.commit = o.commit and b.cleaned_up_at is not null)
             and not exists (select from batch b where b.account_id = $1 and b.repository_id = $2 and b.commit = o.commit and b.cleaned_up_at is null)
             and not exists (select from bot_pull_request p where p.account_id = $1 and p.repository_id = $2
                             and 'refs/heads/' || p.branch = o.ref and p.closed_at is null)
           order by o.ref`,
    values: [ctx.accountId, repository.id, bots.map(({ ref }) => ref), bots.map(({ commit }) => commit)],
  });
}
