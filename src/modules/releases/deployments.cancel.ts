// Cancellation: of one deployment by a person, of all active ones by a rollback or by one that supersedes them.
import type { Context } from '../../context.ts';
import { decideCancel } from '../../domain/releases/deployment.status.ts';
import type { Transaction } from '../../platform/database.ts';
import { writeDeploymentStatus } from './deployments.writer.ts';
import { loadDeployment } from './releases.locks.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

export interface Cancellation {
  readonly environment: EnvironmentRow;
  readonly deployment: DeploymentRow;
  /** In words people read. */
  readonly because: string;
}

/** Whether there was something to cancel. The caller holds the environment's row. */
export async function cancel(ctx: Context, tx: Transaction, cancellation: Cancellation): Promise<boolean> {
  const { environment, deployment, because } = cancellation;
  const path = decideCancel({
    status: deployment.status,
    hasSlot: environment.currentDeploymentId === deployment.id,
    triggerBegun: (deployment.triggerBegunAt ?? null) !== null,
  });
  if (path.length > 0) deployment.cancelRequestedAt = ctx.clock();
  for (const to of path)
    await writeDeploymentStatus(ctx, tx, { environment, deployment, to, by: 'service', errorMessage: because });
  return path.length > 0;
}

/** Answers those there were something to cancel of, oldest first. */
export async function cancelActive(
  ctx: Context,
  tx: Transaction,
  { environment, because }: { readonly environment: EnvironmentRow; readonly because: string },
): Promise<string[]> {
  await tx.em.flush();
  const active = await tx.query<{ id: string }>(
    `select id from deployment where account_id = $1 and environment_id = $2
       and status in ('pending', 'in_progress', 'canceling', 'unknown') order by id`,
    [ctx.accountId, environment.id],
  );
  const canceled: string[] = [];
  for (const { id } of active) {
    const deployment = await loadDeployment(ctx, tx, id);
    if (await cancel(ctx, tx, { environment, deployment, because })) canceled.push(id);
    await tx.em.flush();
    // Every flush compares all that is loaded: a long line would be compared with itself, for minutes.
    tx.em.getUnitOfWork().unsetIdentity(deployment);
  }
  return canceled;
}
