// Finds a pull request, reads it again from the host, and changes it under the lock of its queue.
import type { Context } from '../../../context.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { toHostedRepository } from '../../../hosts/port.ts';
import { withoutMarks, type Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { refuseTargetsBeyondBound } from '../admission/affected-targets.ts';
import { syncBaseOfPullRequest } from '../facts/base-branches.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { finishWork, startWork, type QueueWork } from '../store/status.writer.ts';

export interface PullRequestAnswer {
  readonly pullRequestId: string;
}

export async function findPullRequest(
  ctx: Context,
  repository: RepositoryRow,
  number: number,
): Promise<PullRequestRow> {
  const row = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.em.findOne(PullRequestEntity, { accountId: ctx.accountId, repositoryId: repository.id, number }),
  );
  if (row === null) throw notFound('Pull request');
  return row;
}

/**
 * Reads the pull request and its base branch from the host, before a decision about them. The two do not need each
 * other, so they are read at the same time, unless the pull request has just come into its queue.
 */
export async function readFreshPullRequest(
  ctx: Context,
  repository: RepositoryRow,
  number: number,
): Promise<PullRequestRow> {
  const host = toHostedRepository(repository);
  return await withoutMarks(async () => {
    const [pullRequest, base] = await Promise.allSettled([
      syncPullRequest(ctx, host, number),
      syncBaseOfPullRequest(ctx, host, number),
    ]);
    if (pullRequest.status === 'rejected') throw pullRequest.reason;
    if (pullRequest.value === null) throw notFound('Pull request');
    if (base.status === 'rejected') throw base.reason;
    const row = pullRequest.value;
    if (row.queueId !== base.value) await syncBaseOfPullRequest(ctx, host, number);
    return row;
  });
}

export async function changePullRequest(
  ctx: Context,
  known: PullRequestRow,
  change: (work: QueueWork, row: PullRequestRow) => Promise<void>,
): Promise<PullRequestAnswer> {
  return await changeUnderLocks(ctx, known, { readWithLocks: async () => null, change });
}

/** Like `changePullRequest`. `readWithLocks` reads in the round trip of the locks, after them. */
export async function changeUnderLocks<Facts>(
  ctx: Context,
  known: PullRequestRow,
  of: {
    readonly readWithLocks: (tx: Transaction, queueId: string) => Promise<Facts>;
    readonly change: (work: QueueWork, row: PullRequestRow, facts: Facts) => Promise<void>;
  },
): Promise<PullRequestAnswer> {
  const changeIn = async (queueId: string): Promise<{ readonly isIn: string | null }> =>
    await ctx.db
      .transaction(ctx.accountId, async (tx) => {
        // These share a round trip. The locks are taken in this order, and the rest is read after them.
        const [queue, row, repository, facts] = await Promise.all([
          changeQueue(ctx, tx, queueId, { isOftenIrrelevant: true }),
          tx.lock(PullRequestEntity, known.id, 'no key update'),
          tx.load(RepositoryEntity, known.repositoryId),
          of.readWithLocks(tx, queueId),
        ]);
        if (row === null) throw notFound('Pull request');
        const work = startWork(ctx, tx, queue, repository);
        if (row.queueId !== queueId) throw new OtherQueue(row.queueId ?? null);
        await of.change(work, row, facts);
        await finishWork(work);
        return { isIn: queueId };
      })
      .catch((error: unknown) => {
        if (error instanceof OtherQueue) return { isIn: error.queueId };
        return refuseTargetsBeyondBound(error);
      });
  let queueId = known.queueId ?? null;
  // The pull request may have changed its queue since it was read, and may change it again.
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (queueId === null) throw notFound('Pull request');
    const { isIn } = await changeIn(queueId);
    if (isIn === queueId) return { pullRequestId: known.id };
    queueId = isIn;
  }
  throw new DomainError('CONFLICT', 'The base branch of the pull request changed meanwhile. Try again.');
}

const maxAttempts = 3;

/** Thrown if the pull request is not in the queue that was locked. */
class OtherQueue extends Error {
  readonly queueId: string | null;

  constructor(queueId: string | null) {
    super(`The pull request is in queue ${queueId}.`);
    this.queueId = queueId;
  }
}
