// An endpoint that fails. One that is given up is disabled, and its account is
// told: by an event, in the log, and among the actions of users, where admins look.
import { systemContext, type Ports } from '../../context.ts';
import { isGivenUp } from '../../domain/events/delivery.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { cancelOpen, type EndpointRef } from './deliveries.rows.ts';

export type GivenUp = 'gone' | 'failing';

/** A failed attempt: since when it fails is kept, and too long is the end. A success is written with its outcome. */
export async function noteFailure(ports: Ports, endpoint: EndpointRef, isGone: boolean): Promise<void> {
  const now = ports.clock();
  const [row] = await ports.db.system.query<{ failingSince: Date }>(
    `with begun as (
       update webhook_endpoint set failing_since = $3 where account_id = $1 and id = $2 and failing_since is null
     )
     select coalesce(failing_since, $3::timestamptz) as "failingSince" from webhook_endpoint where account_id = $1 and id = $2`,
    [endpoint.accountId, endpoint.endpointId, now.toISOString()],
  );
  if (isGone) await giveUp(ports, endpoint, 'gone');
  else if (row !== undefined && isGivenUp(row.failingSince.getTime(), now.getTime()))
    await giveUp(ports, endpoint, 'failing');
}

async function giveUp(ports: Ports, endpoint: EndpointRef, because: GivenUp): Promise<void> {
  const ctx = systemContext(ports, endpoint.accountId);
  const isDisabled = await ctx.db.transaction(endpoint.accountId, async (tx) => {
    if (!(await disable(tx, endpoint, { because, now: ctx.clock() }))) return false;
    await appendEvents(ctx, tx, [
      { action: 'webhook_endpoint_disabled', payload: { endpointId: endpoint.endpointId, because } },
    ]);
    // Nobody's own action: it is the service user's, whom the account's tokens act as.
    await tx.query(
      `insert into user_action (account_id, action, actor, entity, target, at)
       select account_id, 'webhook_endpoint_disabled', email, 'integrations', null, $2 from account_user
       where account_id = $1 and is_service order by id limit 1`,
      [endpoint.accountId, ctx.clock().toISOString()],
    );
    return true;
  });
  if (isDisabled) ports.log.warn({ ...endpoint, because }, 'A webhook endpoint was disabled.');
}

/** Answers whether it was enabled before. What was on its way to it ends. */
export async function disable(
  tx: Transaction,
  { accountId, endpointId }: EndpointRef,
  { because, now }: { readonly because: GivenUp | 'asked'; readonly now: Date },
): Promise<boolean> {
  const changed = await tx.query(
    `update webhook_endpoint set enabled = false, disabled_because = $3, disabled_at = $4, updated_at = $4
     where account_id = $1 and id = $2 and enabled and deleted_at is null returning id`,
    [accountId, endpointId, because, now.toISOString()],
  );
  if (changed.length > 0) await tx.query(cancelOpen, [accountId, endpointId, now.toISOString()]);
  return changed.length > 0;
}
