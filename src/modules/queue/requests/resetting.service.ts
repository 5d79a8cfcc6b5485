// Resets builds because a user requests it (interface 6.1, code 300): all builds of a queue, or those of one pull
// request. The builds are made again.
import type { Context } from '../../../context.ts';
import { afterDecisions, measureImpact } from '../../../domain/queue/dry-run.ts';
import { decideResetByHand } from '../../../domain/queue/planning/reset-by-hand.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import type { Transaction } from '../../../platform/database.ts';
import { recordUserAction, requireAction, type UserActionName } from '../../accounts/index.ts';
import { loadRepository } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { writeDecisions } from '../planning/decisions.writer.ts';
import type { QueueImpact } from '../planning/dry-run.ts';
import { loadSnapshot, type LoadedQueue } from '../planning/snapshot.loader.ts';
import { haltOf, rulesOf } from '../store/rules-in-force.ts';
import { QueueEntity, type QueueRow } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { finishWork, startWork } from '../store/status.writer.ts';
import type { PullRequestRef, RepositoryRef } from './queue.service.ts';
import { findPullRequest } from './pull-request.changes.ts';

interface QueueToReset {
  readonly repository: RepositoryRef;
  readonly baseBranch: string;
}

/**
 * The builds to reset, and the user action that is recorded. If `pullRequestId` is null, every build of the queue is
 * reset.
 */
interface Reset {
  readonly repository: RepositoryRow;
  readonly queueId: string;
  readonly pullRequestId: string | null;
  readonly action: UserActionName;
  readonly target: string;
}

/** Resets every build of a queue. Pull requests keep their places. If there are no builds, nothing is changed. */
export async function resetQueue(ctx: Context, request: QueueToReset): Promise<{ queueId: string }> {
  const reset = await findQueueReset(ctx, request);
  await carryOut(ctx, reset);
  return { queueId: reset.queueId };
}

export async function previewQueueReset(
  ctx: Context,
  request: QueueToReset,
): Promise<{ queueId: string; impacts: readonly QueueImpact[] }> {
  const reset = await findQueueReset(ctx, request);
  return { queueId: reset.queueId, impacts: await preview(ctx, reset) };
}

/**
 * Makes the build of a pull request again, and every build that was made on it. Throws CONFLICT if the pull request has
 * no running build.
 */
export async function retryBuild(ctx: Context, request: PullRequestRef): Promise<{ pullRequestId: string }> {
  const { reset, pullRequestId } = await findBuildReset(ctx, request);
  await carryOut(ctx, reset);
  return { pullRequestId };
}

export async function previewBuildRetry(
  ctx: Context,
  request: PullRequestRef,
): Promise<{ pullRequestId: string; impacts: readonly QueueImpact[] }> {
  const { reset, pullRequestId } = await findBuildReset(ctx, request);
  return { pullRequestId, impacts: await preview(ctx, reset) };
}

async function findQueueReset(ctx: Context, { repository: of, baseBranch }: QueueToReset): Promise<Reset> {
  requireAction(ctx, 'reset_queue');
  const repository = await loadRepository(ctx, of, 'queue:pause');
  const [queue] = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.find(QueueEntity, { accountId: ctx.accountId, repositoryId: repository.id, baseBranch }),
  );
  if (queue === undefined) throw notFound('Queue');
  return {
    repository,
    queueId: queue.id,
    pullRequestId: null,
    action: 'queue_reset',
    target: `${repository.owner}/${repository.name}:${baseBranch}`,
  };
}

async function findBuildReset(
  ctx: Context,
  { repository: of, number }: PullRequestRef,
): Promise<{ reset: Reset; pullRequestId: string }> {
  requireAction(ctx, 'retry_build');
  const repository = await loadRepository(ctx, of, 'queue:write');
  const { id, queueId } = await findPullRequest(ctx, repository, number);
  if (!queueId) throw noBuild();
  const target = `${repository.owner}/${repository.name}#${number}`;
  const reset: Reset = { repository, queueId, pullRequestId: id, action: 'build_retried', target };
  return { reset, pullRequestId: id };
}

async function carryOut(ctx: Context, reset: Reset): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await changeQueue(ctx, tx, reset.queueId);
    const { loaded, configuration } = await load(ctx, tx, { repository: reset.repository, queue });
    const decisions = decide(loaded, reset);
    const work = startWork(ctx, tx, queue);
    if (decisions.length > 0) {
      await writeDecisions(work, loaded, { decisions, configuration });
      await recordUserAction(ctx, tx, { action: reset.action, target: reset.target });
    }
    await finishWork(work);
  });
}

/** Writes nothing: the planner plans on the line as it would be after the reset. */
async function preview(ctx: Context, reset: Reset): Promise<readonly QueueImpact[]> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: reset.queueId });
    const { loaded } = await load(ctx, tx, { repository: reset.repository, queue });
    const decided = decide(loaded, reset);
    const { snapshot: before } = loaded;
    const now = ctx.clock().getTime();
    const after = afterDecisions(before, decided, now);
    const compared = { queueId: queue.id, repositoryId: reset.repository.id, before, after, now };
    return [{ baseBranch: queue.baseBranch, ...measureImpact({ before, after: before, decided }, now), compared }];
  });
}

async function load(
  ctx: Context,
  tx: Transaction,
  { repository, queue }: { readonly repository: RepositoryRow; readonly queue: QueueRow },
) {
  const { baseTip, baseTree } = queue;
  if (haltOf(repository, queue) !== null)
    throw new DomainError(
      'CONFLICT',
      `The queue of ${queue.baseBranch} is halted. Nothing is built until an admin resumes the queue.`,
    );
  if (!baseTip || !baseTree)
    throw new DomainError('CONFLICT', `The tip of ${queue.baseBranch} is being read. Try again in a moment.`);
  const { configuration, rules } = rulesOf(repository, queue);
  const loaded = await loadSnapshot(ctx, tx, { queue, repository, rules, tip: baseTip, tipTree: baseTree });
  return { loaded, configuration };
}

function decide({ snapshot }: LoadedQueue, { pullRequestId }: Reset): readonly Decision[] {
  const reset = decideResetByHand(snapshot.batches, pullRequestId);
  switch (reset.kind) {
    case 'reset':
      return reset.decisions;
    case 'landing':
      throw new DomainError('LANDING_IN_PROGRESS', 'A batch is being landed; builds can be reset when it has ended.');
    case 'no build':
      if (pullRequestId !== null) throw noBuild();
      return [];
    default:
      return reset satisfies never;
  }
}

function noBuild(): DomainError {
  return new DomainError('CONFLICT', 'No build of the pull request runs.');
}
