// Pause, freeze and configuration are written under the repository's row, which the landing gate takes `for share`:
// once such a write is answered, no landing starts by what was before it.
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from './repositories.entities.ts';

export async function lockRepository(ctx: Context, tx: Transaction, repositoryId: string): Promise<RepositoryRow> {
  const rows = await tx.query('select 1 from repository where account_id = $1 and id = $2 for no key update', [
    ctx.accountId,
    repositoryId,
  ]);
  if (rows.length === 0) throw notFound('Repository');
  return await tx.em.findOneOrFail(RepositoryEntity, { id: repositoryId, accountId: ctx.accountId }, { refresh: true });
}

/** What begins work there holds it until its commit: nothing is deleted meanwhile. Before any other row is locked. */
export async function shareRepository(ctx: Context, tx: Transaction, repositoryId: string): Promise<RepositoryRow> {
  await tx.query('select 1 from repository where account_id = $1 and id = $2 for share', [ctx.accountId, repositoryId]);
  return await tx.em.findOneOrFail(RepositoryEntity, { id: repositoryId, accountId: ctx.accountId }, { refresh: true });
}

/** Marks in every queue of the repository that something the planner decides on changed, and wakes them after the commit. */
export async function changeQueues(ctx: Context, tx: Transaction, repositoryId: string): Promise<void> {
  // Locked in order of id before any is changed, or two of these could wait for each other.
  const queues = await tx.query<{ id: string }>(
    'select id from queue where account_id = $1 and repository_id = $2 order by id for no key update',
    [ctx.accountId, repositoryId],
  );
  await tx.query('update queue set version = version + 1 where account_id = $1 and repository_id = $2', [
    ctx.accountId,
    repositoryId,
  ]);
  for (const { id } of queues) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId: id }));
}
