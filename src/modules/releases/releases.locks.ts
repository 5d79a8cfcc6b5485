// The lock on an environment's row protects its deployments. A transaction that changes facts for decisions about these
// deployments locks the environment's row first, and then the deployment's row.
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { lockRepositoryForShare, requireNotDeleted } from '../repositories/index.ts';
import { DeploymentEntity, EnvironmentEntity, type DeploymentRow, type EnvironmentRow } from './releases.entities.ts';

/**
 * Locks the row of a release project's repository, before something begins in the project: a deployment, a rollback, a
 * freeze or a change of settings. Throws CONFLICT if the repository was deleted. What has begun can still end after the
 * deletion, without this lock: known deployments are reported and canceled, and freezes are ended.
 */
export async function lockUndeletedRepository(tx: Transaction, repositoryId: string): Promise<void> {
  requireNotDeleted(await lockRepositoryForShare(tx, repositoryId));
}

/** Locks an environment's row, and reads it. Throws NOT_FOUND. */
export async function lockEnvironment(ctx: Context, tx: Transaction, environmentId: string): Promise<EnvironmentRow> {
  const rows = await tx.query('select 1 from environment where account_id = $1 and id = $2 for no key update', [
    ctx.accountId,
    environmentId,
  ]);
  if (rows.length === 0) throw notFound('Release environment');
  const of = { id: environmentId, accountId: ctx.accountId };
  // The row is read again under the lock, because a row that the unit of work loaded earlier may be out of date.
  return await tx.em.findOneOrFail(EnvironmentEntity, of, { refresh: true });
}

/** Like `lockEnvironment`. Also increases the row's version, so that its deployments take another turn. */
export async function changeEnvironment(ctx: Context, tx: Transaction, environmentId: string): Promise<EnvironmentRow> {
  const environment = await lockEnvironment(ctx, tx, environmentId);
  environment.version += 1;
  return environment;
}

/** Reads a deployment. The caller locks the environment's row. Throws NOT_FOUND. */
export async function loadDeployment(ctx: Context, tx: Transaction, deploymentId: string): Promise<DeploymentRow> {
  const of = { id: deploymentId, accountId: ctx.accountId };
  const deployment = await tx.em.findOne(DeploymentEntity, of, { refresh: true });
  if (!deployment) throw notFound('Deployment');
  return deployment;
}

/** Reads several deployments, oldest first. The caller locks the environment's row. */
export async function loadDeployments(
  { accountId }: Context,
  tx: Transaction,
  ids: readonly string[],
): Promise<DeploymentRow[]> {
  return await tx.em.find(
    DeploymentEntity,
    { accountId, id: { $in: [...ids] } },
    { refresh: true, orderBy: { id: 'asc' } },
  );
}
