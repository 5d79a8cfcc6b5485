// An environment's row is the lock of its deployments: a transaction that changes what decides about them takes it
// first, then the deployment's.
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { DeploymentEntity, EnvironmentEntity, type DeploymentRow, type EnvironmentRow } from './releases.entities.ts';

/** Takes the environment's row for writing. */
export async function lockEnvironment(ctx: Context, tx: Transaction, environmentId: string): Promise<EnvironmentRow> {
  const rows = await tx.query('select 1 from environment where account_id = $1 and id = $2 for no key update', [
    ctx.accountId,
    environmentId,
  ]);
  if (rows.length === 0) throw notFound('Release environment');
  const of = { id: environmentId, accountId: ctx.accountId };
  // Read again under the lock: a row the unit of work loaded earlier is as old as that.
  return await tx.em.findOneOrFail(EnvironmentEntity, of, { refresh: true });
}

/** Like `lockEnvironment`. Also increases the version, so that its deployments look again. */
export async function changeEnvironment(ctx: Context, tx: Transaction, environmentId: string): Promise<EnvironmentRow> {
  const environment = await lockEnvironment(ctx, tx, environmentId);
  environment.version += 1;
  return environment;
}

/** In a transaction that holds the environment's row. */
export async function loadDeployment(ctx: Context, tx: Transaction, deploymentId: string): Promise<DeploymentRow> {
  const of = { id: deploymentId, accountId: ctx.accountId };
  const deployment = await tx.em.findOne(DeploymentEntity, of, { refresh: true });
  if (!deployment) throw notFound('Deployment');
  return deployment;
}

/** Likewise several, oldest first. */
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
