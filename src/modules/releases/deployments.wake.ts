// Wakes the workflow of a deployment or a build after the commit. If the wake is lost, the relay sends another wake.
import type { Context, Ports } from '../../context.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import type { Transaction } from '../../platform/database.ts';
import { readLine } from './deployments.history.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';
import { hasDueRows, wakeDue, type DueRow } from '../../platform/turns/index.ts';

export function wakeDeployment(
  { accountId, wake }: Context,
  tx: Transaction,
  { id, kind }: Pick<DeploymentRow, 'id' | 'kind'>,
): void {
  tx.afterCommit(() => wake({ accountId, deploymentId: id, isRollback: kind === 'rollback' }));
}

/** Wakes the deployment that is first in line after a change. */
export async function wakeNextInLine(ctx: Context, tx: Transaction, environment: EnvironmentRow): Promise<void> {
  const [next] = await readLine(ctx, tx, environment);
  if (next === undefined) return;
  await tx.send('update deployment set next_look_at = $3 where account_id = $1 and id = $2', [
    ctx.accountId,
    next.id,
    whenWakeIsLost(ctx.clock()).toISOString(),
  ]);
  wakeDeployment(ctx, tx, next);
}

/** Wakes the deployments of an environment that wait for the end of their time limit, because the limit has changed. */
export async function wakeRunningDeployments(ctx: Context, tx: Transaction, environmentId: string): Promise<void> {
  const running = await tx.query<Pick<DeploymentRow, 'id' | 'kind'>>(
    `update deployment set next_look_at = $3
     where account_id = $1 and environment_id = $2 and status in ('in_progress', 'canceling') returning id, kind`,
    [ctx.accountId, environmentId, whenWakeIsLost(ctx.clock()).toISOString()],
  );
  for (const deployment of running) wakeDeployment(ctx, tx, deployment);
}

/** Wakes the builds of a project, because their time limit has changed. */
export async function wakeRunningBuilds(ctx: Context, tx: Transaction, projectId: string): Promise<void> {
  const running = await tx.query<{ id: string }>(
    `update release_candidate set next_look_at = $3
     where account_id = $1 and project_id = $2 and status = 'building' returning id`,
    [ctx.accountId, projectId, whenWakeIsLost(ctx.clock()).toISOString()],
  );
  for (const { id } of running) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, candidateId: id }));
}

interface DueDeployment extends DueRow {
  readonly kind: string;
}

/** SQL: whether `wakeDueReleases` would wake a deployment or a build. */
export const releasesAreDue = `${hasDueRows('deployment')} or ${hasDueRows('release_candidate')}`;

/**
 * Called by the relay. Wakes deployments and builds whose wake was lost, whose time limit has passed, or whose workflow
 * Temporal lost.
 */
export async function wakeDueReleases(ports: Ports): Promise<void> {
  await wakeDue<DueDeployment>(ports, {
    table: 'deployment',
    columns: ['kind'],
    whose: ({ id, kind }) => ({ deploymentId: id, isRollback: kind === 'rollback' }),
  });
  await wakeDue(ports, { table: 'release_candidate', whose: ({ id }) => ({ candidateId: id }) });
}
