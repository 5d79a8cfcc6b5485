// Creates, changes and deletes webhook endpoints, and sends pings and deliveries again. All of this needs the scope
// admin, because an endpoint's address and its deliveries may contain other people's secrets.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { previousForMs, replacedKeysAfter, secretText } from '../../domain/events/signature.ts';
import { problemOfActions } from '../../domain/events/subscription.ts';
import type { Transaction } from '../../platform/database.ts';
import { encrypt, recordUserAction, requireScope, type Secrets, type UserActionName } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { pingAction, cancelOpenDeliveries, type EndpointRef } from './deliveries.rows.ts';
import { disableEndpoint } from './endpoint.health.ts';
import { messageId } from './outbox.ts';
import { secretPurpose } from './sender.ts';

const maxEndpoints = 20;
const longestUrl = 2048;
const secretBytes = 32;

export interface EndpointInput {
  readonly url: string;
  readonly actions: readonly string[];
}

/**
 * Creates an endpoint. `secret` is the endpoint's own secret, which is returned only this once. Null: no own secret was
 * requested.
 */
export async function createWebhookEndpoint(
  ctx: Context,
  secrets: Secrets,
  input: EndpointInput & { readonly ownSecret: boolean },
): Promise<{ id: string; secret: string | null }> {
  requireScope(ctx, 'admin');
  const url = checkedUrl(input.url);
  const actions = checkedActions(input.actions);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const now = ctx.clock().toISOString();
    // The cursor's row is also the lock for counting endpoints.
    await tx.send(
      `insert into webhook_cursor (account_id, position) select $1::bigint, ${head} on conflict (account_id) do nothing`,
      [ctx.accountId],
    );
    await tx.query('select 1 from webhook_cursor where account_id = $1 for update', [ctx.accountId]);
    const [count] = await tx.query<{ n: number }>(
      'select count(*)::int as n from webhook_endpoint where account_id = $1 and deleted_at is null',
      [ctx.accountId],
    );
    if ((count?.n ?? 0) >= maxEndpoints)
      throw new DomainError('CONFLICT', `An account has at most ${maxEndpoints} webhook endpoints. Delete one first.`);
    const [row] = await tx.query<{ id: string }>(
      `insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at)
       select $1::bigint, $2, $3::text[], ${head}, $4::timestamptz, $4::timestamptz returning id`,
      [ctx.accountId, url, actions, now],
    );
    const id = row?.id ?? '';
    const secret = input.ownSecret ? await giveSecret(ctx, tx, { secrets, id }) : null;
    await record(ctx, tx, { action: 'webhook_endpoint_created', endpointId: id });
    return { id, secret };
  });
}

// The position of the newest event, after which a new endpoint receives events. Committed events that have no position
// yet get a later position, so the endpoint receives them too.
const head = 'coalesce((select position from event_head where account_id = $1::bigint), 0)';

export async function updateWebhookEndpoint(
  ctx: Context,
  input: { readonly id: string } & Partial<EndpointInput>,
): Promise<void> {
  requireScope(ctx, 'admin');
  const url = input.url === undefined ? null : checkedUrl(input.url);
  const actions = input.actions === undefined ? null : checkedActions(input.actions);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockEndpoint(ctx, tx, input.id);
    const changed = await tx.query(
      `update webhook_endpoint set url = coalesce($3, url), actions = coalesce($4::text[], actions), updated_at = $5,
         failing_since = case when $3 <> url then null else failing_since end
       where account_id = $1 and id = $2 and ($3 <> url or $4::text[] <> actions) returning id`,
      [ctx.accountId, input.id, url, actions, ctx.clock().toISOString()],
    );
    if (changed.length > 0) await record(ctx, tx, { action: 'webhook_endpoint_updated', endpointId: input.id });
  });
}

/** Deletes an endpoint. The endpoint receives no more webhooks, and its deliveries are no longer listed. */
export async function deleteWebhookEndpoint(ctx: Context, id: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockEndpoint(ctx, tx, id);
    const now = ctx.clock().toISOString();
    await tx.send(
      `update webhook_endpoint set deleted_at = $3, enabled = false, ${noSecrets}
       where account_id = $1 and id = $2`,
      [ctx.accountId, id, now],
    );
    await tx.query(cancelOpenDeliveries, [ctx.accountId, id, now]);
    await record(ctx, tx, { action: 'webhook_endpoint_deleted', endpointId: id });
  });
}

/**
 * Enables an endpoint, which receives events from now on. Events that happened while the endpoint was disabled are not
 * sent.
 */
export async function enableWebhookEndpoint(ctx: Context, id: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    if ((await lockEndpoint(ctx, tx, id)).enabled) return;
    await tx.send(
      `update webhook_endpoint set enabled = true, disabled_because = null, disabled_at = null, failing_since = null,
         from_position = ${head}, updated_at = $3
       where account_id = $1 and id = $2`,
      [ctx.accountId, id, ctx.clock().toISOString()],
    );
    await record(ctx, tx, { action: 'webhook_endpoint_enabled', endpointId: id });
  });
}

/** Disables an endpoint, which receives nothing until it is enabled again. Its open deliveries are canceled. */
export async function disableWebhookEndpoint(ctx: Context, id: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockEndpoint(ctx, tx, id);
    const endpoint = { accountId: ctx.accountId, endpointId: id };
    if (await disableEndpoint(tx, endpoint, { because: 'asked', now: ctx.clock() }))
      await record(ctx, tx, { action: 'webhook_endpoint_disabled', endpointId: id });
  });
}

/**
 * Gives an endpoint a new secret, which is shown only this once. Each replaced secret signs in addition for a day, at most
 * `maxReplaced` of them.
 */
export async function rotateWebhookEndpointSecret(ctx: Context, secrets: Secrets, id: string): Promise<string> {
  requireScope(ctx, 'admin');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockEndpoint(ctx, tx, id);
    const secret = await giveSecret(ctx, tx, { secrets, id });
    await record(ctx, tx, { action: 'webhook_endpoint_secret_rotated', endpointId: id });
    return secret;
  });
}

/** Removes the secret of an endpoint. Its webhooks are signed by the account's token again. */
export async function removeWebhookEndpointSecret(ctx: Context, id: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockEndpoint(ctx, tx, id);
    const removed = await tx.query(
      `update webhook_endpoint set ${noSecrets}, updated_at = $3
       where account_id = $1 and id = $2 and secret is not null returning id`,
      [ctx.accountId, id, ctx.clock().toISOString()],
    );
    if (removed.length > 0) await record(ctx, tx, { action: 'webhook_endpoint_secret_removed', endpointId: id });
  });
}

/**
 * Sends `{"action":"ping"}` once, even if the endpoint does not subscribe to this action. Returns the id of the
 * delivery.
 */
export async function pingWebhookEndpoint(ctx: Context, id: string): Promise<string> {
  requireScope(ctx, 'admin');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    requireEnabled(await lockEndpoint(ctx, tx, id));
    const [row] = await tx.query<{ epoch: string }>('select epoch from installation');
    const [delivery] = await tx.query<{ id: string }>(
      `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      [
        ctx.accountId,
        id,
        messageId(row?.epoch ?? '0', [randomUUID()]),
        pingAction,
        `ping:${randomUUID()}`,
        JSON.stringify({ action: pingAction }),
        ctx.clock().toISOString(),
      ],
    );
    await record(ctx, tx, { action: 'webhook_endpoint_pinged', endpointId: id });
    return delivery?.id ?? '';
  });
}

/**
 * Sends the same message again at once. If this attempt fails, further attempts follow the schedule from its beginning.
 * An attempt that is under way does not hold the new one up, and its failure then counts no more.
 */
export async function redeliverWebhook(ctx: Context, deliveryId: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [delivery] = await tx.query<{ endpoint_id: string }>(
      'select endpoint_id from webhook_delivery where account_id = $1 and id = $2',
      [ctx.accountId, deliveryId],
    );
    if (delivery === undefined) throw notFound('Webhook delivery');
    requireEnabled(await lockEndpoint(ctx, tx, delivery.endpoint_id));
    await tx.send(
      `update webhook_delivery set state = 'pending', failures = 0, next_attempt_at = null, leased_until = null, ended_at = null
       where account_id = $1 and id = $2`,
      [ctx.accountId, deliveryId],
    );
    await record(ctx, tx, { action: 'webhook_redelivered', endpointId: delivery.endpoint_id });
  });
}

const noSecrets = `secret = null, previous_secret = null, previous_secret_until = null, earlier_secrets = '{}',
         earlier_secrets_until = '{}'`;

interface LockedEndpoint {
  readonly enabled: boolean;
}

async function lockEndpoint(ctx: Context, tx: Transaction, id: string): Promise<LockedEndpoint> {
  const [row] = await tx.query<LockedEndpoint>(
    'select enabled from webhook_endpoint where account_id = $1 and id = $2 and deleted_at is null for update',
    [ctx.accountId, id],
  );
  if (row === undefined) throw notFound('Webhook endpoint');
  return row;
}

function requireEnabled({ enabled }: LockedEndpoint): void {
  if (!enabled) throw new DomainError('CONFLICT', 'This webhook endpoint is disabled. Enable it first.');
}

async function giveSecret(
  ctx: Context,
  tx: Transaction,
  { secrets, id }: { readonly secrets: Secrets; readonly id: string },
): Promise<string> {
  const secret = secretText(randomBytes(secretBytes));
  const now = ctx.clock();
  const until = now.getTime() + previousForMs;
  const present = await readSecrets(tx, { accountId: ctx.accountId, endpointId: id });
  const [previous = null, ...earlier] =
    present.secret === null
      ? []
      : replacedKeysAfter(present.replaced, { newest: { secret: present.secret, until }, now: now.getTime() });
  const isoOf = (replaced: ReplacedSecret): string => new Date(replaced.until).toISOString();
  await tx.send(
    `update webhook_endpoint set secret = $3, updated_at = $4, previous_secret = $5, previous_secret_until = $6,
       earlier_secrets = $7, earlier_secrets_until = $8
     where account_id = $1 and id = $2`,
    [
      ctx.accountId,
      id,
      encrypt(secrets, secretPurpose({ accountId: ctx.accountId, endpointId: id }), Buffer.from(secret)),
      now.toISOString(),
      previous?.secret ?? null,
      previous === null ? null : isoOf(previous),
      earlier.map((replaced) => replaced.secret),
      earlier.map(isoOf),
    ],
  );
  return secret;
}

/** A secret that another one replaced, encrypted, and until when it signs, in milliseconds since the epoch. */
interface ReplacedSecret {
  readonly secret: Buffer;
  readonly until: number;
}

/** The encrypted secrets of an endpoint. Null: the endpoint has no secret of its own. The replaced ones: newest first. */
async function readSecrets(
  tx: Transaction,
  { accountId, endpointId }: EndpointRef,
): Promise<{ readonly secret: Buffer | null; readonly replaced: readonly ReplacedSecret[] }> {
  const rows = await tx.query<{ secret: Buffer | null; replaced: Buffer | null; until: Date | null }>(
    `select e.secret, r.replaced, r.until
     from webhook_endpoint e
     left join unnest(e.previous_secret || e.earlier_secrets, e.previous_secret_until || e.earlier_secrets_until)
       with ordinality as r (replaced, until, place) on true
     where e.account_id = $1 and e.id = $2 order by r.place`,
    [accountId, endpointId],
  );
  return {
    secret: rows[0]?.secret ?? null,
    replaced: rows.flatMap(({ replaced: secret, until }) =>
      secret === null || until === null ? [] : [{ secret, until: new Date(until).getTime() }],
    ),
  };
}

// The event contains only the endpoint's id, because readers of events may not see addresses. The event also makes
// every relay read the endpoints of the account again.
async function record(
  ctx: Context,
  tx: Transaction,
  { action, endpointId }: { readonly action: UserActionName; readonly endpointId: string },
): Promise<void> {
  await appendEvents(ctx, tx, [{ action, payload: { endpointId } }]);
  await recordUserAction(ctx, tx, { action, target: null });
}

function checkedUrl(url: string): string {
  const refuse = (must: string): DomainError => new DomainError('BAD_INPUT', `input.url must ${must}`, 'input.url');
  if (url.length > longestUrl) throw refuse(`have at most ${longestUrl} characters`);
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw refuse('be an absolute http or https URL');
  if (parsed.username !== '' || parsed.password !== '')
    throw refuse('not contain a user name or a password, because webhooks are signed');
  if (parsed.hash !== '') throw refuse('have no fragment, because a fragment is never sent');
  return parsed.href;
}

function checkedActions(actions: readonly string[]): readonly string[] {
  const problem = problemOfActions(actions);
  if (problem !== null) throw new DomainError('BAD_INPUT', `input.actions ${problem}`, 'input.actions');
  return actions;
}
