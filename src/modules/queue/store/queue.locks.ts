// Locks are taken in this order: repository, queues by id, pull request, batch, intent. A transaction that changes
// facts of the planner locks the queue's row first and increases the version of the queue.
import type { Context, WokenQueue } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { isWakeNeeded } from '../../../domain/turns.ts';
import { QueueEntity, type QueueRow } from './queue.entities.ts';

/**
 * Locks the queue's row, so that only one writer at a time decides or changes the facts of decisions. Returns the row
 * as it is under the lock, even if the unit of work contains an older version.
 */
export async function lockQueue(tx: Transaction, queueId: string): Promise<QueueRow> {
  // The changes of the unit of work are written first, because the lock reads the row again and would overwrite them.
  if (tx.em.getUnitOfWork().getById(QueueEntity, queueId) !== undefined) await tx.em.flush();
  const queue = await tx.lock(QueueEntity, queueId, 'no key update');
  if (queue === null) throw notFound('Queue');
  return queue;
}

/** The class of the advisory locks: the letters `max `. */
const buildsClass = 0x6d617820;

/**
 * Lets one queue of the repository at a time start builds, because `max_parallel_builds` limits all of them together.
 * The lock is taken after the row of one queue, and its holder waits for no other queue.
 */
export async function lockBuildsOf(tx: Transaction, repositoryId: string): Promise<void> {
  await tx.send('select pg_advisory_xact_lock($1, hashtext($2))', [buildsClass, repositoryId]);
}

/**
 * Locks the queue's row, increases the version of the queue and wakes the queue after the commit, if this is needed
 * (`isWakeNeeded`). The relay replaces a lost wake.
 */
export async function changeQueue(
  ctx: Context,
  tx: Transaction,
  queueId: string,
  how: Pick<WokenQueue, 'isOftenIrrelevant'> = {},
): Promise<QueueRow> {
  const queue = await lockQueue(tx, queueId);
  const isWoken = isWakeNeeded(queue);
  queue.version += 1;
  if (isWoken) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId, ...how }));
  return queue;
}

/** Like `changeQueue`, for several queues. They are locked in the order of their ids to prevent deadlocks. */
export async function changeQueuesInOrder(
  ctx: Context,
  tx: Transaction,
  queueIds: readonly string[],
  how: Pick<WokenQueue, 'isOftenIrrelevant'> = {},
): Promise<Map<string, QueueRow>> {
  const queues = new Map<string, QueueRow>();
  for (const id of [...new Set(queueIds)].sort((a, b) => Number(BigInt(a) - BigInt(b))))
    queues.set(id, await changeQueue(ctx, tx, id, how));
  return queues;
}

/**
 * Like `changeQueue`, for the queue of a pull request. `others` are ids of queues that change too. Throws CONFLICT if the
 * pull request changes its queue meanwhile.
 */
export async function changeQueueOf(
  ctx: Context,
  tx: Transaction,
  pullRequestId: string,
  others: readonly string[] = [],
): Promise<QueueRow> {
  const read = async (): Promise<string | null> => {
    const [row] = await tx.query<{ queue_id: string | null }>(
      'select queue_id from pull_request where account_id = $1 and id = $2',
      [ctx.accountId, pullRequestId],
    );
    return row?.queue_id ?? null;
  };
  const queueId = await read();
  if (queueId === null) throw notFound('Pull request');
  const queue = (await changeQueuesInOrder(ctx, tx, [queueId, ...others])).get(queueId);
  if (queue === undefined || (await read()) !== queueId)
    throw new DomainError('CONFLICT', 'The base branch of the pull request changed meanwhile. Try again.');
  return queue;
}

/** Returns the id of the queue of a base branch. Creates the queue if there is none. */
export async function ensureQueue(
  ctx: Context,
  tx: Transaction,
  { repositoryId, baseBranch }: { readonly repositoryId: string; readonly baseBranch: string },
): Promise<string> {
  const found = await tx.query<{ id: string }>(
    `with made as (
       insert into queue (account_id, repository_id, base_branch, created_at) values ($1, $2, $3, $4)
       on conflict (account_id, repository_id, base_branch) do nothing returning id)
     select id from made
     union all
     select id from queue where account_id = $1 and repository_id = $2 and base_branch = $3`,
    [ctx.accountId, repositoryId, baseBranch, ctx.clock().toISOString()],
  );
  const id = found[0]?.id;
  if (id === undefined) return await ensureQueue(ctx, tx, { repositoryId, baseBranch });
  return id;
}

/**
 * Writes until when the host refuses requests for the queue's work. Explanations show this time, and no decision uses
 * it.
 */
export async function noteHostWait(
  ctx: Context,
  tx: Transaction,
  { queueId, retryAt }: { readonly queueId: string; readonly retryAt: number },
): Promise<void> {
  await tx.send('update queue set host_wait_until = greatest(host_wait_until, $3) where account_id = $1 and id = $2', [
    ctx.accountId,
    queueId,
    new Date(retryAt).toISOString(),
  ]);
}
