// The order of locks is: repository, queue by id, pull request, batch, intent. Whoever changes what the planner
// decides on takes the queue's row first and bumps its version in the same transaction.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { QueueEntity, type QueueRow } from './queue.entities.ts';

/** Takes the queue's row for writing, so that one writer at a time decides or changes what is decided on. */
export async function lockQueue(ctx: Context, tx: Transaction, queueId: string): Promise<QueueRow> {
  const rows = await tx.query('select 1 from queue where account_id = $1 and id = $2 for no key update', [
    ctx.accountId,
    queueId,
  ]);
  if (rows.length === 0) throw notFound('Queue');
  // Read again under the lock: a row the unit of work loaded earlier is as old as that.
  return await tx.em.findOneOrFail(QueueEntity, { id: queueId, accountId: ctx.accountId }, { refresh: true });
}

/**
 * Takes the queue's row and marks that something the planner decides on changes; wakes it after the commit. While the
 * queue is ahead of its plan already, whoever brought it there has woken it, and that plan will see this change too:
 * it takes the same row. A wake lost on its way is the relay's to make good.
 */
export async function changeQueue(ctx: Context, tx: Transaction, queueId: string): Promise<QueueRow> {
  const queue = await lockQueue(ctx, tx, queueId);
  const isFirstChange = queue.version === queue.plannedVersion || queue.plannedVersion === 0;
  queue.version += 1;
  if (isFirstChange) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId }));
  return queue;
}

/** As `changeQueue` for several of them, locked in order of id so that two of these never wait for each other. */
export async function changeQueuesInOrder(
  ctx: Context,
  tx: Transaction,
  queueIds: readonly string[],
): Promise<Map<string, QueueRow>> {
  const queues = new Map<string, QueueRow>();
  for (const id of [...new Set(queueIds)].sort((a, b) => Number(BigInt(a) - BigInt(b))))
    queues.set(id, await changeQueue(ctx, tx, id));
  return queues;
}

/** Takes the queue a pull request stands in, and marks the change. Its base branch may be changing at this moment. */
export async function changeQueueOf(ctx: Context, tx: Transaction, pullRequestId: string): Promise<QueueRow> {
  const read = async (): Promise<string | null> => {
    const [row] = await tx.query<{ queue_id: string | null }>(
      'select queue_id from pull_request where account_id = $1 and id = $2',
      [ctx.accountId, pullRequestId],
    );
    return row?.queue_id ?? null;
  };
  const queueId = await read();
  if (queueId === null) throw notFound('Pull request');
  const queue = await changeQueue(ctx, tx, queueId);
  if ((await read()) !== queueId)
    throw new DomainError('CONFLICT', 'The base branch of the pull request changed meanwhile. Try again.');
  return queue;
}

/** What a landing gate takes: a pause or a configuration write waits for it, and it sees the last one answered. */
export async function shareRepository(ctx: Context, tx: Transaction, repositoryId: string): Promise<RepositoryRow> {
  await tx.query('select 1 from repository where account_id = $1 and id = $2 for share', [ctx.accountId, repositoryId]);
  return await tx.em.findOneOrFail(RepositoryEntity, { id: repositoryId, accountId: ctx.accountId }, { refresh: true });
}

/** The queue of a base branch; made on first use. */
export async function ensureQueue(
  ctx: Context,
  tx: Transaction,
  repositoryId: string,
  baseBranch: string,
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
  if (id === undefined) return await ensureQueue(ctx, tx, repositoryId, baseBranch);
  return id;
}
