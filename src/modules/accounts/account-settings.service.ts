import type { Context } from '../../context.ts';
import { appendEvents } from '../events/index.ts';
import { requireScope } from './authorisation.ts';
import { recordUserAction } from './user-actions.ts';

/** `timezone` is the name of a time zone. Setting the present one again changes nothing. Needs `admin`. */
export async function setAccountTimezone(ctx: Context, timezone: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const changed = await tx.query('update account set timezone = $2 where id = $1 and timezone <> $2 returning id', [
      ctx.accountId,
      timezone,
    ]);
    if (changed.length === 0) return;
    await appendEvents(ctx, tx, [{ action: 'account_timezone_changed', payload: { timezone } }]);
    await recordUserAction(ctx, tx, { action: 'account_timezone_changed', target: null });
  });
}
