// Takes open deliveries, so that no other process sends the same delivery, and writes the outcomes of attempts. An
// attempt is counted before it is made. If its process dies, the attempt stays without an outcome, and the next attempt
// has the next number with the same message id.
import type { HttpAnswer } from '../../platform/http-out/index.ts';
import type { Database, Transaction } from '../../platform/database.ts';

/** The action of the delivery that a user asks for by `pingWebhookEndpoint`. */
export const pingAction = 'ping';

export interface DeliveryRef {
  readonly accountId: string;
  readonly deliveryId: string;
}

export interface EndpointRef {
  readonly accountId: string;
  readonly endpointId: string;
}

export interface TakenDelivery extends DeliveryRef {
  readonly endpointId: string;
  readonly messageId: string;
  readonly action: string;
  readonly body: string;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** The number of failed attempts, which is the position in the schedule. */
  readonly failures: number;
  readonly startedAt: Date;
  readonly endpoint: SendingEndpoint;
}

/** What sending to an endpoint needs. It is read with the deliveries, so that a changed key soon signs. */
interface SendingEndpoint {
  readonly url: string;
  /** The endpoint's own secret, encrypted. Null: the account's keys sign. */
  readonly secret: Buffer | null;
  /** The secret before, encrypted, as long as it signs too. */
  readonly previousSecret: Buffer | null;
  /** The secrets that were replaced before `previousSecret` and sign too, encrypted. */
  readonly earlierSecrets: readonly Buffer[];
}

interface TakenRow extends SendingEndpoint {
  readonly id: string;
  readonly endpointId: string;
  readonly messageId: string;
  readonly action: string;
  readonly body: string;
  readonly attempts: number;
  readonly failures: number;
}

// An attempt ends after 15 s at the latest. If an attempt takes longer than the lease, its process is dead.
const leaseMs = 30_000;

const taking = `
  taken as (
    update webhook_delivery d set leased_until = $4, attempts = d.attempts + 1
    from next where d.account_id = $1 and d.id = next.id
    returning d.id, d.endpoint_id, d.message_id, d.action, d.body, d.attempts, d.failures
  ), started as (
    insert into webhook_attempt (account_id, delivery_id, number, started_at) select $1, id, attempts, $3 from taken
  )
  select t.id, t.endpoint_id as "endpointId", t.message_id as "messageId", t.action, t.body, t.attempts, t.failures,
    e.url, e.secret, case when e.previous_secret_until > $3 then e.previous_secret end as "previousSecret",
    array(select r.secret from unnest(e.earlier_secrets, e.earlier_secrets_until) with ordinality as r (secret, until, place)
          where r.until > $3 order by r.place) as "earlierSecrets"
  from taken t join webhook_endpoint e on e.account_id = $1 and e.id = t.endpoint_id order by t.id`;

/**
 * Takes the oldest delivery of each lane that no process has taken and that waits for no other lane, at most `max` in
 * all. The statement finds the first delivery of a lane in the order of the index `webhook_delivery_lane`. With `lane =
 * …` instead, PostgreSQL may read all pending deliveries for each delivery, if its statistics were made when few were
 * pending.
 */
export async function takePendingDeliveries(
  db: Database,
  { accountId, endpointId }: EndpointRef,
  { max, now }: { readonly max: number; readonly now: Date },
): Promise<TakenDelivery[]> {
  const rows = await db.system.query<TakenRow>(
    `with next as (
       select d.id from webhook_delivery d
       where d.account_id = $1 and d.endpoint_id = $2 and d.state = 'pending' and (d.leased_until is null or d.leased_until <= $3)
         and not exists (
           select from unnest(d.waits_for || d.lane) as awaited (lane)
           where d.id > (
             select e.id from webhook_delivery e
             where e.account_id = $1 and e.endpoint_id = $2 and e.state = 'pending'
               and e.lane >= awaited.lane and e.lane <= awaited.lane
             order by e.lane, e.id limit 1))
       order by d.id limit $5 for update of d skip locked
     ), ${taking}`,
    [accountId, endpointId, now.toISOString(), leaseUntil(now), max],
  );
  return rows.map((row) => toTaken(accountId, row, now));
}

/** Takes a delivery whose next attempt is due. Null: no attempt is due, or the delivery has ended. */
export async function takeRetry(db: Database, ref: DeliveryRef, now: Date): Promise<TakenDelivery | null> {
  const [row] = await db.system.query<TakenRow>(
    `with next as (
       select id from webhook_delivery
       where account_id = $1 and id = $2 and state = 'retrying' and next_attempt_at <= $3
         and (leased_until is null or leased_until <= $3) for update
     ), ${taking}`,
    [ref.accountId, ref.deliveryId, now.toISOString(), leaseUntil(now)],
  );
  return row === undefined ? null : toTaken(ref.accountId, row, now);
}

function leaseUntil(now: Date): string {
  return new Date(now.getTime() + leaseMs).toISOString();
}

function toTaken(
  accountId: string,
  { id, attempts, url, secret, previousSecret, earlierSecrets, ...row }: TakenRow,
  startedAt: Date,
): TakenDelivery {
  const endpoint = { url, secret, previousSecret, earlierSecrets };
  return { accountId, deliveryId: id, attempt: attempts, startedAt, endpoint, ...row };
}

export interface DeliveryWait {
  readonly state: string;
  /** Milliseconds. Null: there is no further attempt. */
  readonly nextLookAt: number | null;
}

export async function readDeliveryWait(db: Database, ref: DeliveryRef): Promise<DeliveryWait | null> {
  const [row] = await db.system.query<{ state: string; next: Date | null }>(
    `select state, case when state = 'retrying' then greatest(next_attempt_at, coalesce(leased_until, next_attempt_at)) end as next
     from webhook_delivery where account_id = $1 and id = $2`,
    [ref.accountId, ref.deliveryId],
  );
  return row === undefined ? null : { state: row.state, nextLookAt: row.next?.getTime() ?? null };
}

export interface DeliveryConclusion {
  readonly state: 'succeeded' | 'retrying' | 'failed';
  readonly nextAttemptAt: Date | null;
}

export interface Outcome {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly answer: HttpAnswer;
  readonly concluded: DeliveryConclusion;
  readonly now: Date;
}

export interface AnsweredDelivery {
  readonly taken: TakenDelivery;
  readonly outcome: Outcome;
}

/**
 * Writes outcomes of attempts at one endpoint. A success counts even if it arrives late, and the endpoint then no
 * longer counts as failing. Any other outcome counts only for the newest attempt of an open delivery, and only once. It
 * does not count if a user has asked for another attempt meanwhile, which has ended the lease. Returns the ids of the
 * deliveries whose outcome counts.
 */
export async function writeOutcomes(
  { query }: Pick<Transaction, 'query'>,
  answered: readonly AnsweredDelivery[],
): Promise<readonly string[]> {
  const endpoint = answered[0]?.taken;
  if (endpoint === undefined) return [];
  const values = [endpoint.accountId, endpoint.endpointId, JSON.stringify(answered.map(toOutcomeRow))];
  return (await query<{ id: string }>(writing, values)).map(({ id }) => id);
}

// All statements lock the endpoint first and then deliveries in the order of their ids, to prevent deadlocks. The count
// of "recovered" is only there to make PostgreSQL lock in this order. A success locks the endpoint even if it does not
// count as failing: "working" has the newest row, so that a failure that commits meanwhile ends too.
const writing = `
  with outcome as materialized (
    select * from jsonb_to_recordset($3::jsonb) as o (
      "deliveryId" bigint, attempt integer, "durationMs" integer, "requestHeaders" jsonb, status integer,
      "responseHeaders" jsonb, body text, error text, state text, "nextAttemptAt" timestamptz, at timestamptz)
  ), working as materialized (
    select account_id, id, failing_since from webhook_endpoint
    where account_id = $1 and id = $2 and exists (select from outcome where state = 'succeeded') for no key update
  ), recovered as (
    update webhook_endpoint e set failing_since = null
    from working w where e.account_id = w.account_id and e.id = w.id and w.failing_since is not null
    returning e.id
  ), open as materialized (
    select d.id from webhook_delivery d
    where (select count(*) from recovered) >= 0
      and d.account_id = $1 and d.id in (select "deliveryId" from outcome) and d.state <> 'succeeded'
    order by d.id for no key update of d
  ), answered as (
    update webhook_attempt a set duration_ms = o."durationMs", request_headers = o."requestHeaders",
      response_status = o.status, response_headers = o."responseHeaders", response_body = o.body, error = o.error
    from outcome o where a.account_id = $1 and a.delivery_id = o."deliveryId" and a.number = o.attempt
  )
  update webhook_delivery d set state = o.state, next_attempt_at = o."nextAttemptAt", leased_until = null,
    failures = d.failures + case when o.state = 'succeeded' then 0 else 1 end,
    ended_at = case when o.state = 'retrying' then null else o.at end
  from outcome o
  where d.account_id = $1 and d.id = o."deliveryId" and d.id in (select id from open)
    and (o.state = 'succeeded' or (d.state in ('pending', 'retrying') and d.attempts = o.attempt and d.leased_until is not null and exists (
      select from webhook_attempt a
      where a.account_id = $1 and a.delivery_id = d.id and a.number = o.attempt and a.duration_ms is null)))
  returning d.id`;

function toOutcomeRow({ taken, outcome: { requestHeaders, answer, concluded, now } }: AnsweredDelivery) {
  const response = answer.status === null ? null : { responseHeaders: answer.headers, body: answer.body };
  return {
    deliveryId: taken.deliveryId,
    attempt: taken.attempt,
    durationMs: answer.durationMs,
    requestHeaders,
    status: answer.status,
    ...response,
    error: answer.error,
    state: concluded.state,
    nextAttemptAt: concluded.nextAttemptAt?.toISOString() ?? null,
    at: now.toISOString(),
  };
}

/** Cancels deliveries whose endpoint is disabled or deleted. */
export const cancelOpenDeliveries = `
  update webhook_delivery set state = 'canceled', next_attempt_at = null, ended_at = $3
  where account_id = $1 and id in (
    select id from webhook_delivery
    where account_id = $1 and endpoint_id = $2 and state in ('pending', 'retrying') order by id for no key update)`;
