// Landings past their gate: at most one in a queue, and only reading the host ends it. Nothing that concerns its members
// is decided until then; it lands their pinned heads, whatever is pushed meanwhile (docs/adr/0003).
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';

export async function isLandingBegun(ctx: Context, tx: Transaction, pullRequestId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from intent i join batch_member m on m.account_id = i.account_id and m.batch_id = i.batch_id
     where i.account_id = $1 and i.kind = 'land' and i.state = 'begun' and m.pull_request_id = $2`,
    [ctx.accountId, pullRequestId],
  );
  return rows.length > 0;
}

/** Ids of the pull requests that are being landed in a queue; empty when no landing of it is begun. */
export async function readLandingMembers(ctx: Context, tx: Transaction, queueId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `select m.pull_request_id as id from intent i join batch_member m on m.account_id = i.account_id and m.batch_id = i.batch_id
     where i.account_id = $1 and i.queue_id = $2 and i.kind = 'land' and i.state = 'begun'`,
    [ctx.accountId, queueId],
  );
  return new Set(rows.map((row) => row.id));
}
