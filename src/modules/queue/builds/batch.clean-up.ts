import type { Context } from '../../../context.ts';
import { judgeBuild } from '../../../domain/queue/evidence/evidence.ts';
import { hostClient, HostRefused, RefMoved } from '../../../hosts/port.ts';
import { botBranch, type LoadedBatch } from '../store/batch.rows.ts';
import { deleteBranch, closeRows } from './bot-pull-requests.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import { readGateRuns } from '../facts/final-gates.ts';
import { headsFence, movesHeads } from '../facts/own-pushes.ts';
import { BotPullRequestEntity, QueueEntity } from '../store/queue.entities.ts';
import { lockQueue } from '../store/queue.locks.ts';
import { rulesOf } from '../store/rules-in-force.ts';

/**
 * Cleans up after an ended batch: stops the runs that nobody needs, closes the bot pull request, and deletes its branch by
 * compare-and-set. If the bot pull request is idle or another batch has taken it over, it is not closed.
 */
export async function cleanUp(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, host } = loaded;
  const client = hostClient(ctx, host);
  await stopGates(ctx, loaded);
  const [bot = null] = await ctx.db.loadAll(ctx.accountId, BotPullRequestEntity, {
    column: 'batch_id',
    value: batch.id,
    orderBy: 'id',
  });
  if (batch.commit && (await planStop(ctx, loaded))) await client.cancelChecks(batch.commit);
  const isOwn = bot === null || (!bot.idle && !bot.heirBatchId && !bot.closedAt);
  if (isOwn) {
    const branch = bot?.branch ?? botBranch(batch.id);
    const number = bot?.number ?? (await client.findOpenPullRequests(branch))[0]?.number;
    if (number !== undefined) await client.closePullRequest(number);
    // The deletions run at the same time, because a host may collect deletions for up to a minute.
    await Promise.all([deleteBranch(ctx, host, branch), deleteFence(ctx, loaded)]);
  } else await deleteFence(ctx, loaded);
  await passFailpoint('clean_up:after_host');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockQueue(tx, batch.queueId);
    // Another worker may have opened a bot pull request meanwhile. The next step closes it.
    if (bot === null && (await tx.em.count(BotPullRequestEntity, { batchId: batch.id })) > 0) return;
    if (isOwn && bot !== null) await closeRows(ctx, tx, bot);
    await tx.send('update batch set cleaned_up_at = $3 where account_id = $1 and id = $2 and cleaned_up_at is null', [
      ctx.accountId,
      batch.id,
      ctx.clock().toISOString(),
    ]);
  });
}

/**
 * Whether the checks of the batch may be stopped. If the result of the build is open, the build is marked first, so that
 * its canceled checks do not count as canceled by CI. The checks of a landed commit go on, because the commit is on the base
 * branch. Those of a green build go on, because the build may justify another landing of its tree. In serial mode the
 * checks of the head are the build of the next batch too. If a user resets the build, the next batch stops them and runs
 * them again (`renewHeadBuild`).
 */
async function planStop(ctx: Context, { batch, repository }: LoadedBatch): Promise<boolean> {
  if (batch.mode !== 'parallel' || batch.state === 'landed') return false;
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [queue, [build]] = await Promise.all([
      tx.load(QueueEntity, batch.queueId),
      loadBuilds(ctx, tx, { repositoryId: batch.repositoryId, commits: [batch.commit ?? ''], trees: [] }),
    ]);
    if (queue === null || build === undefined) return true;
    const verdict = judgeBuild(build, rulesOf(repository, queue).rules.requiredChecks);
    if (verdict === 'pending')
      await tx.send('update build set stopped = true where account_id = $1 and repository_id = $2 and commit = $3', [
        ctx.accountId,
        batch.repositoryId,
        build.commit,
      ]);
    return verdict !== 'green';
  });
}

/**
 * Deletes the fence of the heads, if the push that moved the heads made this fence. A fence that a later worker made
 * stays, because the delayed push of an earlier worker may still arrive.
 */
async function deleteFence(ctx: Context, loaded: LoadedBatch): Promise<void> {
  const { batch, host } = loaded;
  if (!batch.commit || !movesHeads(ctx, loaded)) return;
  const ref = headsFence(batch.id);
  if ((await hostClient(ctx, host).readRef(ref))?.commit !== batch.commit) return;
  await hostClient(ctx, host)
    .updateRefs([{ ref, from: batch.commit, to: null }])
    .catch((error: unknown) => {
      if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
    });
}

/** Stops the final gates of an ended batch. */
async function stopGates(ctx: Context, { batch, host }: LoadedBatch): Promise<void> {
  const open = await readGateRuns(ctx, 'batch', batch.id);
  for (const { run } of open) if (run !== null) await hostClient(ctx, host).cancelWorkflowRun(run);
  if (open.length === 0) return;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `update gate_run set state = 'failed', reason = 'its batch ended first', ended_at = $3
       where account_id = $1 and batch_id = $2 and state in ('planned', 'running')`,
      [ctx.accountId, batch.id, ctx.clock().toISOString()],
    );
  });
}
