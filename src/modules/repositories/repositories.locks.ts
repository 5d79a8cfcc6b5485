// Pauses, freezes and configurations are written while the repository's row is locked. The landing gate locks this row
// `for share`. So no landing starts under the old state once such a write is committed.
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import { isWakeNeeded } from '../../domain/turns.ts';
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

/**
 * The landing gate and every transaction that starts work in a repository lock the repository's row in this way, before
 * any other row. A deletion, a pause or a change of the configuration waits until they commit, and they see the last
 * completed change.
 */
export async function lockRepositoryForShare(tx: Transaction, repositoryId: string): Promise<RepositoryRow> {
  const repository = await tx.lock(RepositoryEntity, repositoryId, 'share');
  if (repository === null) throw notFound('Repository');
  return repository;
}

/**
 * Marks in every queue of the repository that the planner's facts changed, and wakes the queues after the commit, if this
 * is needed (`isWakeNeeded`).
 */
export async function changeQueues(ctx: Context, tx: Transaction, repositoryId: string): Promise<void> {
  // All queues are locked in order of id before any of them changes, to prevent deadlocks.
  const queues = await tx.query<{ id: string; version: string; plannedVersion: string }>(
    `select id, version, planned_version as "plannedVersion" from queue
     where account_id = $1 and repository_id = $2 order by id for no key update`,
    [ctx.accountId, repositoryId],
  );
  await tx.send('update queue set version = version + 1 where account_id = $1 and repository_id = $2', [
    ctx.accountId,
    repositoryId,
  ]);
  for (const { id, version, plannedVersion } of queues)
    if (isWakeNeeded({ version: Number(version), plannedVersion: Number(plannedVersion) }))
      tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId: id }));
}
