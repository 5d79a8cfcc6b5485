// Disables endpoints that answer 410, or that fail for too long. The account learns of this from an event and from the
// audit log, and the operator from the log.
import { systemContext, type Context, type Ports } from '../../context.ts';
import { hasFailedTooLong } from '../../domain/events/delivery.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import {
  cancelOpenDeliveries,
  pingAction,
  writeOutcomes,
  type EndpointRef,
  type Outcome,
  type TakenDelivery,
} from './deliveries.rows.ts';

type GivenUp = 'gone' | 'failing';

/**
 * Writes a failed attempt. One transaction writes the outcome, the time since which the endpoint fails, and whether the
 * endpoint is disabled. If the process dies before the commit, nothing is written, and the delivery is sent again.
 */
export async function writeFailure(
  ports: Ports,
  taken: TakenDelivery,
  outcome: Outcome & { readonly url: string | null; readonly isGone: boolean },
): Promise<void> {
  const ctx = systemContext(ports, taken.accountId);
  const because = await ctx.db.transaction(taken.accountId, async (tx) => {
    // The endpoint is locked before its deliveries, as in `disableEndpoint`. An answer of an earlier address does not
    // count for the present address.
    const locked = await tx.query(
      `select from webhook_endpoint where account_id = $1 and id = $2 and ($3::text is null or url = $3) for no key update`,
      [taken.accountId, taken.endpointId, outcome.url],
    );
    // A failure that does not count for the delivery does not count for the endpoint either: another attempt has
    // delivered the webhook meanwhile or decides, or the delivery was canceled because the endpoint was disabled, and the
    // endpoint may have been enabled again since.
    const counted = await writeOutcomes(tx, [{ taken, outcome }]);
    if (locked.length === 0 || counted.length === 0) return null;
    // A failed ping does not begin the time without a success, because it may test an endpoint that is not ready yet.
    const [row] = await tx.query<{ failingSince: Date | string | null }>(
      `update webhook_endpoint set failing_since = coalesce(failing_since, case when $4::boolean then null else $3::timestamptz end)
       where account_id = $1 and id = $2
       returning failing_since as "failingSince"`,
      [taken.accountId, taken.endpointId, outcome.now.toISOString(), taken.action === pingAction],
    );
    if (row === undefined) return null;
    if (outcome.isGone) return await giveUp(ctx, tx, { endpoint: taken, because: 'gone' });
    if (row.failingSince === null) return null;
    if (!hasFailedTooLong(new Date(row.failingSince).getTime(), outcome.now.getTime())) return null;
    return await giveUp(ctx, tx, { endpoint: taken, because: 'failing' });
  });
  if (because !== null) ports.log.warn({ endpointId: taken.endpointId, because }, 'A webhook endpoint was disabled.');
}

/** Disables an endpoint, and writes the event. Null: the endpoint was already disabled. */
async function giveUp(
  ctx: Context,
  tx: Transaction,
  { endpoint, because }: { readonly endpoint: EndpointRef; readonly because: GivenUp },
): Promise<GivenUp | null> {
  const now = ctx.clock();
  if (!(await disableEndpoint(tx, endpoint, { because, now }))) return null;
  await appendEvents(ctx, tx, [
    { action: 'webhook_endpoint_disabled', payload: { endpointId: endpoint.endpointId, because } },
  ]);
  // The entry in the audit log names the service user, because no person disabled the endpoint.
  await tx.send(
    `insert into user_action (account_id, action, actor, entity, target, at)
     select account_id, 'webhook_endpoint_disabled', email, 'integrations', null, $2 from account_user
     where account_id = $1 and is_service order by id limit 1`,
    [endpoint.accountId, now.toISOString()],
  );
  return because;
}

/** Disables an endpoint, and cancels its open deliveries. Returns whether the endpoint was enabled before. */
export async function disableEndpoint(
  tx: Transaction,
  { accountId, endpointId }: EndpointRef,
  { because, now }: { readonly because: GivenUp | 'asked'; readonly now: Date },
): Promise<boolean> {
  const changed = await tx.query(
    `update webhook_endpoint set enabled = false, disabled_because = $3, disabled_at = $4, updated_at = $4
     where account_id = $1 and id = $2 and enabled and deleted_at is null returning id`,
    [accountId, endpointId, because, now.toISOString()],
  );
  if (changed.length > 0) await tx.query(cancelOpenDeliveries, [accountId, endpointId, now.toISOString()]);
  return changed.length > 0;
}
