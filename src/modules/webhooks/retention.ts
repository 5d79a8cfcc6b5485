// The retention of deliveries. Open deliveries stay until their schedule ends. The row of a deleted endpoint is removed
// after the rows of its deliveries.
import { ruleForRows } from '../../platform/retention/index.ts';

const isDeleted = 'select account_id, id from webhook_endpoint where deleted_at is not null';

export const deliveryForgetting = ruleForRows('webhook_deliveries', 'select min(created_at) from webhook_delivery', [
  { table: 'webhook_delivery', old: `t.created_at < $1 and t.state not in ('pending', 'retrying')` },
  {
    table: 'webhook_delivery',
    old: `$1::timestamptz is not null and (t.account_id, t.endpoint_id) in (${isDeleted})`,
  },
  {
    table: 'webhook_endpoint',
    old: `$1::timestamptz is not null and t.deleted_at is not null and not exists (
        select from webhook_delivery d where d.account_id = t.account_id and d.endpoint_id = t.id)`,
  },
]);
