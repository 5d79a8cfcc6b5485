// The build of a head in serial mode. The checks of the head are the build, so they run again if they prove nothing.
import type { Context } from '../../../context.ts';
import {
  checksOfMerge,
  isFresh,
  judgeBuild,
  mayTestMerge,
  newestAttempts,
  passingByDefault,
} from '../../../domain/queue/evidence/evidence.ts';
import { hostClient, HostRefused } from '../../../hosts/port.ts';
import { recordChecks } from '../facts/build.records.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { QueueEntity } from '../store/queue.entities.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { blockMembers } from './batch.refusals.ts';

/**
 * Makes the existing build of a head count as a build on this base commit, even if the build was recorded for another
 * base commit. If the build is canceled or too old, its checks are run again. There is no new commit to test, so the
 * planner would otherwise end this batch and start the same batch without end. If the host does not run the checks
 * again, the pull request is blocked.
 *
 * It is also blocked if its checks may have tested another tree than that of the head, because its base branch was
 * another one at that time. While checks run that may have done so, the build does not count. When they have ended, the
 * planner ends this batch, and the next batch decides.
 *
 * If a user reset the batch before (300), its running checks are stopped first. Returns whether the build counts, or
 * runs.
 */
export async function renewHeadBuild(ctx: Context, loaded: LoadedBatch): Promise<boolean> {
  const { members } = loaded;
  const [member] = members;
  if (member === undefined) return false;
  const head = member.pinnedHead;
  const ofMerge = await countOnBase(ctx, loaded, head);
  if (ofMerge.length > 0) {
    const message = `these checks may have tested the head together with commits of another base branch: ${ofMerge.join(', ')}. Push a commit, so that they test the head on this base branch`;
    await blockMembers(ctx, loaded, [{ member, message }]);
    return false;
  }
  await stopResetChecks(ctx, loaded, head);
  const names = await findWorthlessChecks(ctx, loaded, head);
  if (names.length === 0) return true;
  const refused = await refusalToRepeat(ctx, loaded, { head, names });
  if (refused === null) return true;
  await blockMembers(ctx, loaded, [{ member, message: refused }]);
  return false;
}

/**
 * Stops the running checks of the head, if a user reset the last batch that tested it (300). The checks are marked before
 * they are stopped, and are marked only once for each reset. If this step is repeated, the checks that it has started
 * meanwhile go on.
 */
async function stopResetChecks(ctx: Context, loaded: LoadedBatch, head: string): Promise<void> {
  const { batch, host } = loaded;
  const [last] = await ctx.db.read<{ id: string; isReset: boolean }>(ctx.accountId, {
    name: 'last_batch_of_head',
    text: `select id, coalesce(reset_code = 300, false) as "isReset" from batch
           where account_id = $1 and repository_id = $2 and tested_commit = $3 and queue_id = $4 and id < $5 order by id desc limit 1`,
    values: [ctx.accountId, batch.repositoryId, head, batch.queueId, batch.id],
  });
  if (!last?.isReset) return;
  // The host may have ended or started checks since they were recorded.
  await recordChecks(ctx, host, head);
  if (!(await markStopped(ctx, loaded, { head, resetBatchId: last.id }))) return;
  await hostClient(ctx, host).cancelChecks(head);
  await recordChecks(ctx, host, head);
}

/** Marks the running checks, if none is marked for this reset yet. Returns whether a marked check is running. */
async function markStopped(
  ctx: Context,
  { batch, repository }: LoadedBatch,
  { head, resetBatchId }: { readonly head: string; readonly resetBatchId: string },
): Promise<boolean> {
  const values = [ctx.accountId, batch.repositoryId, head, resetBatchId];
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [queue, [build]] = await Promise.all([
      tx.load(QueueEntity, batch.queueId),
      loadBuilds(ctx, tx, { repositoryId: batch.repositoryId, commits: [head], trees: [] }),
    ]);
    if (queue === null || build === undefined) return false;
    if (judgeBuild(build, rulesOf(repository, queue).rules.requiredChecks) !== 'pending') return false;
    await tx.send(
      `update check_result set stopped_batch_id = $4
       where account_id = $1 and repository_id = $2 and commit = $3 and conclusion = 'pending' and not exists (
         select from check_result where account_id = $1 and repository_id = $2 and commit = $3 and stopped_batch_id = $4)`,
      values,
    );
    const running = await tx.query(
      `select 1 from check_result
       where account_id = $1 and repository_id = $2 and commit = $3 and conclusion = 'pending' and stopped_batch_id = $4`,
      values,
    );
    if (running.length > 0)
      await tx.send(
        'update build set stopped = true where account_id = $1 and repository_id = $2 and commit = $3',
        values.slice(0, 3),
      );
    return running.length > 0;
  });
}

/** The names of the checks that must run again, because the build is canceled or too old. Empty: the build counts. */
async function findWorthlessChecks(ctx: Context, { batch, repository }: LoadedBatch, head: string): Promise<string[]> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [queue, [build]] = await Promise.all([
      tx.load(QueueEntity, batch.queueId),
      loadBuilds(ctx, tx, { repositoryId: batch.repositoryId, commits: [head], trees: [] }),
    ]);
    if (build === undefined || queue === null) return [];
    const checks = newestAttempts(build.checks);
    if (!isFresh(build, ctx.clock().getTime())) return checks.map(({ name }) => name);
    if (judgeBuild(build, rulesOf(repository, queue).rules.requiredChecks) !== 'none') return [];
    return checks.flatMap(({ name, conclusion }) => (passingByDefault.includes(conclusion) ? [] : [name]));
  });
}

/**
 * Makes the build of the head count as a build on the base commit of the batch, unless its checks may have tested the
 * head together with other commits, or may still do so. Returns the names of these checks (`checksOfMerge`).
 */
async function countOnBase(ctx: Context, { batch, repository }: LoadedBatch, head: string): Promise<string[]> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [queue, [build]] = await Promise.all([
      tx.load(QueueEntity, batch.queueId),
      loadBuilds(ctx, tx, { repositoryId: batch.repositoryId, commits: [head], trees: [] }),
    ]);
    if (build === undefined || queue === null) return [];
    const { requiredChecks } = rulesOf(repository, queue).rules;
    const ofMerge = checksOfMerge(build, requiredChecks);
    if (ofMerge.length === 0 && !mayTestMerge(build, requiredChecks))
      await tx.send(
        'update build set base_commit = $4 where account_id = $1 and repository_id = $2 and commit = $3 and base_commit <> $4',
        [ctx.accountId, batch.repositoryId, head, batch.baseCommit],
      );
    return ofMerge;
  });
}

/** Runs the checks again. Returns why they do not run again. Null: they do. */
async function refusalToRepeat(
  ctx: Context,
  loaded: LoadedBatch,
  { head, names }: { readonly head: string; readonly names: readonly string[] },
): Promise<string | null> {
  try {
    const started = await hostClient(ctx, loaded.host).rerunChecks(head, names);
    await recordChecks(ctx, loaded.host, head);
    const isRunning = (await findWorthlessChecks(ctx, loaded, head)).length === 0;
    if (isRunning) await countCancellations(ctx, loaded, head);
    // Somebody else may have started the checks.
    if (started.length > 0 || isRunning) return null;
    return `the checks of the head were canceled or ended more than a day ago, and cannot be run again: ${names.join(', ')}`;
  } catch (error) {
    if (error instanceof HostRefused) return error.message;
    throw error;
  }
}

/** From now on CI itself cancels the checks of the head, unless the service stops the build again. */
async function countCancellations(ctx: Context, { batch }: LoadedBatch, head: string): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      'update build set stopped = false where account_id = $1 and repository_id = $2 and commit = $3 and stopped',
      [ctx.accountId, batch.repositoryId, head],
    );
  });
}
