// Wakes the driver of a runbook after the commit. Where a wake is lost, the relay wakes it.
import type { Context } from '../../context.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import type { Transaction } from '../../platform/database.ts';
import type { RunbookRow } from './runbooks.entities.ts';

export function wakeRunbook(ctx: Context, tx: Transaction, runbook: RunbookRow): void {
  const { accountId, wake } = ctx;
  const lost = whenWakeIsLost(ctx.clock()).getTime();
  const due = runbook.nextLookAt?.getTime() ?? Number.POSITIVE_INFINITY;
  runbook.nextLookAt = new Date(Math.min(lost, due));
  tx.afterCommit(() => wake({ accountId, runbookId: runbook.id }));
}
