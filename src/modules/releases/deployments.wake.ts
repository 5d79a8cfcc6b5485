// Wakes the workflow of a deployment after the commit. If the wake is lost, the relay sends another.
import type { Context } from '../../context.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import type { Transaction } from '../../platform/database.ts';
import { readLine } from './deployments.history.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

export function wakeDeployment(
  { accountId, wake }: Context,
  tx: Transaction,
  { id, kind }: Pick<DeploymentRow, 'id' | 'kind'>,
): void {
  tx.afterCommit(() => wake({ accountId, deploymentId: id, isRollback: kind === 'rollback' }));
}

/** After a change of the line: wakes the deployment that is now first in it. */
export async function wakeNextInLine(ctx: Context, tx: Transaction, environment: EnvironmentRow): Promise<void> {
  const [next] = await readLine(ctx, tx, environment);
  if (next === undefined) return;
  await tx.query('update deployment set next_look_at = $3 where account_id = $1 and id = $2', [
    ctx.accountId,
    next.id,
    whenWakeIsLost(ctx.clock()).toISOString(),
  ]);
  wakeDeployment(ctx, tx, next);
}
