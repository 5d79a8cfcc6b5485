// Wakes the workflow of a runbook after the commit. If the wake is lost, the relay sends another wake.
import type { Context, Ports } from '../../context.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import type { Transaction } from '../../platform/database.ts';
import type { RunbookRow } from './runbooks.entities.ts';
import { hasDueRows, wakeDue, type DueRow } from '../../platform/turns/index.ts';

export function wakeRunbook(ctx: Context, tx: Transaction, runbook: RunbookRow): void {
  const { accountId, wake } = ctx;
  const lost = whenWakeIsLost(ctx.clock()).getTime();
  const due = runbook.nextLookAt?.getTime() ?? Number.POSITIVE_INFINITY;
  runbook.nextLookAt = new Date(Math.min(lost, due));
  tx.afterCommit(() => wake({ accountId, runbookId: runbook.id }));
}

const maxOverAtOnce = 200;
const againMs = 10_000;

const publishedOver = `from runbook_pull_request o
           join runbook b on b.account_id = o.account_id and b.id = o.runbook_id
           join pull_request p on p.account_id = b.account_id and p.repository_id = b.repository_id and p.number = o.number
           where o.state = 'open' and p.status in ('merged', 'closed')`;

/** SQL: whether `wakeDueRunbooks` would wake a runbook. */
export const runbooksAreDue = `${hasDueRows('runbook')}
  or exists (select ${publishedOver} and (b.next_look_at is null or b.next_look_at > $1::timestamptz + interval '${againMs} milliseconds'))`;

/**
 * Called by the relay. Wakes runbooks whose wake was lost or whose workflow Temporal lost. Also wakes runbooks whose
 * pull request was merged or closed, because the queue does not wake them.
 */
export async function wakeDueRunbooks(ports: Ports): Promise<void> {
  const { db, clock, wake } = ports;
  await wakeDue(ports, { table: 'runbook', whose: ({ id }) => ({ runbookId: id }) });
  const over = await db.system.query<DueRow>(
    `update runbook r set next_look_at = $1
     from (select distinct o.account_id, o.runbook_id ${publishedOver} and (b.next_look_at is null or b.next_look_at > $1)
           limit $2) over
     where r.account_id = over.account_id and r.id = over.runbook_id returning r.account_id, r.id`,
    [new Date(clock().getTime() + againMs).toISOString(), maxOverAtOnce],
  );
  for (const { account_id: accountId, id } of over) await wake({ accountId, runbookId: id });
}
