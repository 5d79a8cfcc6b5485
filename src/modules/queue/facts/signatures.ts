// Signatures are read when a head is read. Where they are asked for only since then, they are read before a turn decides.
import type { Context } from '../../../context.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { configurationOf } from '../store/configuration.cache.ts';
import { hosted } from '../store/hosted-repository.ts';
import type { QueueRow } from '../store/queue.entities.ts';

export async function readMissingSignatures(ctx: Context, repository: RepositoryRow, queue: QueueRow): Promise<void> {
  if (!queue.baseTip || !configurationOf(repository).merge_rules.preconditions.require_verified_commits) return;
  const host = hosted(repository);
  const unread = await ctx.db.read<{ id: string; head: string }>(ctx.accountId, {
    name: 'signatures_unread',
    text: `select id, head_sha as head from pull_request
           where account_id = $1 and queue_id = $2 and status in ('pending', 'queued', 'tagged') and verified_head is distinct from head_sha`,
    values: [ctx.accountId, queue.id],
  });
  for (const { id, head } of unread) {
    const unverified = await ctx.hosts(host.host).countUnverifiedCommits(host, { head, base: queue.baseTip });
    await ctx.db.transaction(
      ctx.accountId,
      async (tx) =>
        await tx.query(
          'update pull_request set unverified_commits = $4, verified_head = $3 where account_id = $1 and id = $2 and head_sha = $3',
          [ctx.accountId, id, head, unverified],
        ),
    );
  }
}
