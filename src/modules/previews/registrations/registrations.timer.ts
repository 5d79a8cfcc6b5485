// Ends registrations when their time is over. Every server and worker looks; the first to take the row reports the end.
// Only rows that are due are read. Until then reads compare with the clock.
import { systemContext, type Ports } from '../../../context.ts';
import { expireRegistration } from './registrations.ending.ts';

const mostAtOnce = 100;

export async function expireDueRegistrations(ports: Ports): Promise<void> {
  const due = await ports.db.system.query<{ account_id: string; id: string }>(
    `select account_id, id from preview_registration where ended_at is null and expires_at <= $1
     order by expires_at limit ${mostAtOnce}`,
    [ports.clock().toISOString()],
  );
  for (const { account_id: accountId, id } of due) {
    const ctx = systemContext(ports, accountId);
    await ctx.db.transaction(accountId, async (tx) => await expireRegistration(ctx, tx, id));
  }
}
