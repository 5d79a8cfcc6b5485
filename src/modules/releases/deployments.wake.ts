// Who looks at a deployment again is told after the commit. A wake that is lost is the relay's to make good.
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

/** The line may go on, or another be its first one now: who that is is told. */
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
