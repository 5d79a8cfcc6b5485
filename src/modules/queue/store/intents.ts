// Intents, which are effects on the code host written down before they are tried: how they are read and end, whichever
// kind they are. Landings past their gate are begun intents: at most one in a queue, and only reading the host ends it.
// Nothing that concerns its members is decided until then; it lands their pinned heads, whatever is pushed meanwhile
// (docs/adr/0003).
import type { QueueWork } from './status.writer.ts';
import type { Context } from '../../../context.ts';
import { type IntentRow, IntentEntity } from './queue.entities.ts';
import type { Transaction } from '../../../platform/database.ts';

/** A planned landing whose batch is no longer live is void: its opposer's transaction wins. A begun one is never touched. */
export async function voidLandings(work: QueueWork): Promise<void> {
  await work.tx.em.flush();
  await work.tx.query(
    `update intent set state = 'void', concluded_at = $3, outcome = '{"reason": "superseded"}'
     where account_id = $1 and queue_id = $2 and kind = 'land' and state = 'planned'
       and not exists (select from batch b where b.account_id = $1 and b.id = intent.batch_id and b.state in ('building', 'landing'))`,
    [work.ctx.accountId, work.queue.id, work.now.toISOString()],
  );
}

/** Unless it was planned again meanwhile, with other words. */
export async function finishIntent(ctx: Context, intent: IntentRow): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      `update intent set state = 'done', concluded_at = $3 where account_id = $1 and id = $2 and state in ('planned', 'begun') and payload = $4::jsonb`,
      [ctx.accountId, intent.id, ctx.clock().toISOString(), JSON.stringify(intent.payload)],
    );
  });
}

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

export async function lockIntent(ctx: Context, tx: Transaction, intentId: string): Promise<IntentRow> {
  await tx.query('select 1 from intent where account_id = $1 and id = $2 for update', [ctx.accountId, intentId]);
  return await tx.em.findOneOrFail(IntentEntity, { id: intentId }, { refresh: true });
}
