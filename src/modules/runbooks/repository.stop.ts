// All runbooks of a repository are asked to stop.
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/database.ts';
import { lockRunbook } from './runbooks.locks.ts';
import { wakeRunbook } from './runbooks.wake.ts';
import { cancelWork } from './steps.writer.ts';

/** `because`: the reason that users read. Idempotent. */
export async function stopRunbooks(
  ctx: Context,
  tx: Transaction,
  { repositoryId, because }: { readonly repositoryId: string; readonly because: string },
): Promise<void> {
  const open = await tx.query<{ id: string }>(
    `select r.id::text as id from runbook r where r.account_id = $1 and r.repository_id = $2 and r.cancel_requested_at is null
       and (r.not_started + r.queued + r.in_progress > 0
         or exists (select from runbook_prompt p where p.account_id = r.account_id and p.runbook_id = r.id and p.planned_at is null))
     order by r.id`,
    [ctx.accountId, repositoryId],
  );
  for (const { id } of open) {
    const runbook = await lockRunbook(ctx, tx, id);
    runbook.version += 1;
    await cancelWork(ctx, tx, runbook, because);
    wakeRunbook(ctx, tx, runbook);
  }
}
