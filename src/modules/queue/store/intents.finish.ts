// How an intent that has been carried out is written down.
import type { Context } from '../../../context.ts';
import type { IntentRow } from './queue.entities.ts';

/** Unless it was planned again meanwhile, with other words. */
export async function finishIntent(ctx: Context, intent: IntentRow): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      `update intent set state = 'done', concluded_at = $3 where account_id = $1 and id = $2 and state in ('planned', 'begun') and payload = $4::jsonb`,
      [ctx.accountId, intent.id, ctx.clock().toISOString(), JSON.stringify(intent.payload)],
    );
  });
}
