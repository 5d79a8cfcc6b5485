import type { Context } from '../../context.ts';
import { requireScope } from '../accounts/index.ts';

export interface EndpointRead {
  readonly id: string;
  readonly url: string;
  readonly actions: readonly string[];
  readonly enabled: boolean;
  readonly disabledBecause: 'asked' | 'gone' | 'failing' | null;
  readonly disabledAt: Date | null;
  readonly failingSince: Date | null;
  readonly hasOwnSecret: boolean;
  readonly createdAt: Date;
}

export interface DeliveryRead {
  readonly id: string;
  readonly endpointId: string;
  readonly messageId: string;
  readonly action: string;
  readonly state: 'pending' | 'retrying' | 'succeeded' | 'failed' | 'canceled';
  readonly body: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export interface AttemptRead {
  readonly deliveryId: string;
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number | null;
  readonly requestHeaders: Readonly<Record<string, string>> | null;
  readonly responseStatus: number | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  readonly responseBody: string | null;
  readonly error: string | null;
}

export interface RowPage {
  readonly size: number;
  /** Id of the last row of the previous page. Null: the first page. */
  readonly before: string | null;
}

const endpointColumns = `id, url, actions, enabled, disabled_because as "disabledBecause", disabled_at as "disabledAt",
  failing_since as "failingSince", secret is not null as "hasOwnSecret", created_at as "createdAt"`;
const deliveryColumns = `d.id, d.endpoint_id as "endpointId", d.message_id as "messageId", d.action, d.state, d.body, d.attempts as "attemptCount",
  d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.ended_at as "endedAt"`;

/** Returns the newest endpoints first. Reads one more than the page holds, which shows whether there is a next page. */
export async function readWebhookEndpoints(ctx: Context, page: RowPage): Promise<EndpointRead[]> {
  requireScope(ctx, 'admin');
  return await ctx.db.read<EndpointRead>(ctx.accountId, {
    name: 'webhook_endpoints',
    text: `select ${endpointColumns} from webhook_endpoint
           where account_id = $1 and deleted_at is null and ($2::bigint is null or id < $2) order by id desc limit $3::bigint + 1`,
    values: [ctx.accountId, page.before, page.size],
  });
}

export async function readWebhookEndpoint(ctx: Context, id: string): Promise<EndpointRead | null> {
  requireScope(ctx, 'admin');
  const [row] = await ctx.db.read<EndpointRead>(ctx.accountId, {
    name: 'webhook_endpoint',
    text: `select ${endpointColumns} from webhook_endpoint where account_id = $1 and id = $2 and deleted_at is null`,
    values: [ctx.accountId, id],
  });
  return row ?? null;
}

/**
 * Returns the newest deliveries first. Reads one more than the page holds, which shows whether there is a next page.
 */
export async function readDeliveries(ctx: Context, endpointId: string, page: RowPage): Promise<DeliveryRead[]> {
  requireScope(ctx, 'admin');
  return await ctx.db.read<DeliveryRead>(ctx.accountId, {
    name: 'webhook_deliveries',
    text: `select ${deliveryColumns} from webhook_delivery d
           where d.account_id = $1 and d.endpoint_id = $2 and ($3::bigint is null or d.id < $3) order by d.id desc limit $4::bigint + 1`,
    values: [ctx.accountId, endpointId, page.before, page.size],
  });
}

export async function readDelivery(ctx: Context, id: string): Promise<DeliveryRead | null> {
  requireScope(ctx, 'admin');
  const [row] = await ctx.db.read<DeliveryRead>(ctx.accountId, {
    name: 'webhook_delivery',
    text: `select ${deliveryColumns} from webhook_delivery d
           join webhook_endpoint e on e.account_id = d.account_id and e.id = d.endpoint_id and e.deleted_at is null
           where d.account_id = $1 and d.id = $2`,
    values: [ctx.accountId, id],
  });
  return row ?? null;
}

/** The attempts of several deliveries, in order within each delivery. */
export async function readAttempts(ctx: Context, deliveryIds: readonly string[]): Promise<AttemptRead[]> {
  requireScope(ctx, 'admin');
  return await ctx.db.read<AttemptRead>(ctx.accountId, {
    name: 'webhook_attempts',
    text: `select delivery_id as "deliveryId", number, started_at as "startedAt", duration_ms as "durationMs", request_headers as "requestHeaders",
             response_status as "responseStatus", response_headers as "responseHeaders", response_body as "responseBody", error
           from webhook_attempt where account_id = $1 and delivery_id = any ($2::bigint[]) order by delivery_id, number`,
    values: [ctx.accountId, deliveryIds],
  });
}
