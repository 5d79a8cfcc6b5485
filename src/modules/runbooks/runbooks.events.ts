// Writes the events of a runbook, in the transaction of the change.
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import type { RunbookRow } from './runbooks.entities.ts';

export type RunbookAction =
  | 'runbook_created'
  | 'runbook_prompted'
  | 'runbook_planned'
  | 'runbook_step_changed'
  | 'runbook_pull_request_changed'
  | 'runbook_status_changed'
  | 'runbook_cancel_requested'
  | 'runbook_canceled'
  | 'runbook_retried'
  | 'runbook_publish_requested';

export interface RunbookNews {
  readonly runbook: Pick<RunbookRow, 'id' | 'repositoryId' | 'number'>;
  readonly action: RunbookAction;
  /** Number of the leaf that changed. */
  readonly step?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

export async function announceRunbook(
  ctx: Context,
  tx: Transaction,
  { runbook: { id, repositoryId, number }, action, step, more }: RunbookNews,
): Promise<void> {
  const payload = { number, ...(step !== undefined && { step }), ...more };
  await appendEvents(ctx, tx, [{ repositoryId, runbookId: id, action, payload }]);
}
