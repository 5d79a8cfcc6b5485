import type { Context } from '../../context.ts';
import { RefMoved } from '../../hosts/port.ts';
import { botBranch, type LoadedBatch } from './batch.rows.ts';
import { passFailpoint } from './failpoints.ts';
import { stopGates } from './final-gates.ts';
import type { HostedRepository } from './host.repository.ts';
import { BotPullRequestEntity } from './queue.entities.ts';

/** After its end: what still runs is stopped, the bot pull request closed, its branch deleted by compare-and-set. */
export async function cleanUp(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, host } = loaded;
  const adapter = ctx.hosts(host.host);
  await stopGates(ctx, loaded);
  const bot = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.findOne(BotPullRequestEntity, { batchId: batch.id }),
  );
  const branch = `refs/heads/${botBranch(batch.id)}`;
  const there = await adapter.readRef(host, branch);
  // What landed is the base's own: its checks are no longer ours to stop.
  if (batch.mode === 'parallel' && batch.commit && batch.state !== 'landed')
    await adapter.cancelChecks(host, batch.commit);
  const number =
    bot?.number ??
    (await adapter.listOpenPullRequests(host)).find((pullRequest) => pullRequest.headBranch === botBranch(batch.id))
      ?.number;
  if (number !== undefined) await adapter.closePullRequest(host, number);
  if (there !== null) await deleteRef(ctx, host, branch, there.commit);
  await passFailpoint('clean_up:after_host');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      'update bot_pull_request set closed_at = $3 where account_id = $1 and batch_id = $2 and closed_at is null',
      [ctx.accountId, batch.id, ctx.clock().toISOString()],
    );
    await tx.query('update batch set cleaned_up_at = $3 where account_id = $1 and id = $2 and cleaned_up_at is null', [
      ctx.accountId,
      batch.id,
      ctx.clock().toISOString(),
    ]);
  });
}

async function deleteRef(ctx: Context, host: HostedRepository, ref: string, from: string): Promise<void> {
  try {
    await ctx.hosts(host.host).updateRefs(host, [{ ref, from, to: null }]);
  } catch (error) {
    if (!(error instanceof RefMoved && error.actual === null)) throw error;
  }
}
