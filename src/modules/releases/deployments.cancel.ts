// Cancels deployments: one deployment at the request of a user, or all active deployments for a rollback or for a
// deployment that supersedes them.
import type { Context } from '../../context.ts';
import { activeStatuses, decideCancel } from '../../domain/releases/deployment.status.ts';
import { mustNotifyCancel } from '../../domain/releases/cancellation.ts';
import { sqlList, type Transaction } from '../../platform/database.ts';
import { noFailedCalls } from '../../platform/turns/index.ts';
import { writeDeploymentStatuses, type NewStatus } from './deployments.writer.ts';
import { isElsewhere } from './driving/deployment.rows.ts';
import { loadDeployments } from './releases.locks.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

interface Cancellation {
  readonly environment: EnvironmentRow;
  /** The reason that users read. */
  readonly because: string;
}

/**
 * Cancels deployments. Returns the ids of the deployments that were canceled or asked to stop. The caller locks the
 * environment's row.
 */
export async function cancelDeployments(
  ctx: Context,
  tx: Transaction,
  { environment, because, deployments }: Cancellation & { readonly deployments: readonly DeploymentRow[] },
): Promise<string[]> {
  const statuses: NewStatus[] = [];
  for (const deployment of deployments) {
    const triggerStartedAt = deployment.triggerStartedAt?.getTime() ?? null;
    const { status, reported: isReported } = deployment;
    const path = decideCancel({
      status,
      hasSlot: environment.currentDeploymentId === deployment.id,
      triggerStarted: triggerStartedAt !== null,
    });
    // The provider is asked once more, even if an earlier cancellation was sent. Pauses after failed calls belong to the
    // earlier status, unless such a cancellation is still to be sent.
    if (path.length > 0) {
      if (!deployment.cancelPending) Object.assign(deployment, noFailedCalls);
      Object.assign(deployment, { cancelRequestedAt: ctx.clock(), cancelSentAt: null });
    }
    const cancelPending = mustNotifyCancel({
      status,
      isReported,
      triggerStartedAt,
      provider: environment.provider,
      isElsewhere: isElsewhere({ environment, deployment }),
    });
    statuses.push(...path.map((to) => ({ deployment, to, errorMessage: because, cancelPending })));
  }
  await writeDeploymentStatuses(ctx, tx, { environment, source: 'service', statuses });
  return [...new Set(statuses.map(({ deployment }) => deployment.id))];
}

const maxAtOnce = 1_000;

/**
 * Cancels all active deployments of an environment. Returns the ids of the deployments that were canceled or asked to
 * stop, oldest first.
 */
export async function cancelActiveDeployments(
  ctx: Context,
  tx: Transaction,
  cancellation: Cancellation,
): Promise<string[]> {
  await tx.em.flush();
  const active = await tx.query<{ id: string }>(
    `select id from deployment where account_id = $1 and environment_id = $2
       and status in ${sqlList(activeStatuses)} order by id`,
    [ctx.accountId, cancellation.environment.id],
  );
  const canceled: string[] = [];
  for (let from = 0; from < active.length; from += maxAtOnce) {
    const ids = active.slice(from, from + maxAtOnce).map(({ id }) => id);
    const deployments = await loadDeployments(ctx, tx, ids);
    canceled.push(...(await cancelDeployments(ctx, tx, { ...cancellation, deployments })));
    await tx.em.flush();
    // Every flush compares all loaded entities, which would take minutes with a long line of deployments. So canceled
    // deployments are removed from the unit of work.
    for (const deployment of deployments) tx.em.getUnitOfWork().unsetIdentity(deployment);
  }
  return canceled;
}
