// The rows of open deliveries: taking them, so that no other process sends the same one, and writing the outcome of an
// attempt. An attempt is counted before it is made: if its sender dies, it stays without an outcome, and the next
// attempt has its own number under the same id.
import type { HttpAnswer } from '../../platform/http-out/index.ts';
import type { Database, Transaction } from '../../platform/database.ts';

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
  /** The number of failed attempts in the schedule. */
  readonly failures: number;
  readonly startedAt: Date;
}

interface TakenRow {
  readonly id: string;
  readonly endpointId: string;
  readonly messageId: string;
  readonly action: string;
  readonly body: string;
  readonly attempts: number;
  readonly failures: number;
}

// An attempt ends after 15 s. The sender of a longer one is dead.
const leaseMs = 30_000;

const taking = `
  taken as (
    update webhook_delivery d set leased_until = $4, attempts = d.attempts + 1
    from next where d.account_id = $1 and d.id = next.id
    returning d.id, d.endpoint_id, d.message_id, d.action, d.body, d.attempts, d.failures
  ), started as (
    insert into webhook_attempt (account_id, delivery_id, number, started_at) select $1, id, attempts, $3 from taken
  )
  select id, endpoint_id as "endpointId", message_id as "messageId", action, body, attempts, failures from taken order by id`;

/** The oldest delivery of each lane that is not taken and waits for no other lane, at most `most` in all. */
export async function takePending(
  db: Database,
  { accountId, endpointId }: EndpointRef,
  { most, now }: { readonly most: number; readonly now: Date },
): Promise<TakenDelivery[]> {
  const rows = await db.system.query<TakenRow>(
    `with next as (
       select d.id from webhook_delivery d
       where d.account_id = $1 and d.endpoint_id = $2 and d.state = 'pending' and (d.leased_until is null or d.leased_until <= $3)
         and not exists (
           select from webhook_delivery e
           where e.account_id = $1 and e.endpoint_id = $2 and e.lane = any (d.waits_for || d.lane) and e.state = 'pending' and e.id < d.id)
       order by d.id limit $5 for update of d skip locked
     ), ${taking}`,
    [accountId, endpointId, now.toISOString(), leaseUntil(now), most],
  );
  return rows.map((row) => toTaken(accountId, row, now));
}

/** A delivery whose next attempt is due. Null: it is not due, or has ended. */
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

function toTaken(accountId: string, { id, attempts, ...row }: TakenRow, startedAt: Date): TakenDelivery {
  return { accountId, deliveryId: id, attempt: attempts, startedAt, ...row };
}

export interface Waiting {
  readonly state: string;
  /** Milliseconds. Null: there is no further attempt. */
  readonly nextLookAt: number | null;
}

export async function readWaiting(db: Database, ref: DeliveryRef): Promise<Waiting | null> {
  const [row] = await db.system.query<{ state: string; next: Date | null }>(
    `select state, case when state = 'retrying' then greatest(next_attempt_at, coalesce(leased_until, next_attempt_at)) end as next
     from webhook_delivery where account_id = $1 and id = $2`,
    [ref.accountId, ref.deliveryId],
  );
  return row === undefined ? null : { state: row.state, nextLookAt: row.next?.getTime() ?? null };
}

export interface Concluded {
  readonly state: 'succeeded' | 'retrying' | 'failed';
  readonly nextAttemptAt: Date | null;
}

export interface Outcome {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly answer: HttpAnswer;
  readonly concluded: Concluded;
  readonly now: Date;
}

/**
 * Writes the outcome of an attempt. A success counts however late it comes, and ends the failing of its endpoint. Any
 * other outcome counts only for the newest attempt of an open delivery, and once.
 */
export async function writeOutcome(
  { query }: Pick<Transaction, 'query'>,
  taken: TakenDelivery,
  { requestHeaders, answer, concluded, now }: Outcome,
): Promise<void> {
  // A separate statement, and the first one: disabling an endpoint and redelivery also lock the endpoint before
  // deliveries.
  if (concluded.state === 'succeeded')
    await query(
      'update webhook_endpoint set failing_since = null where account_id = $1 and id = $2 and failing_since is not null',
      [taken.accountId, taken.endpointId],
    );
  await query(
    `with answered as (
       update webhook_attempt set duration_ms = $4, request_headers = $5, response_status = $6, response_headers = $7, response_body = $8, error = $9
       where account_id = $1 and delivery_id = $2 and number = $3
     )
     update webhook_delivery set state = $10, next_attempt_at = $11, leased_until = null,
       failures = failures + case when $10 = 'succeeded' then 0 else 1 end,
       ended_at = case when $10 = 'retrying' then null else $12::timestamptz end
     where account_id = $1 and id = $2 and state <> 'succeeded'
       and ($10 = 'succeeded' or (state in ('pending', 'retrying') and attempts = $3 and exists (
         select from webhook_attempt where account_id = $1 and delivery_id = $2 and number = $3 and duration_ms is null)))`,
    [
      taken.accountId,
      taken.deliveryId,
      taken.attempt,
      answer.durationMs,
      JSON.stringify(requestHeaders),
      answer.status,
      answer.status === null ? null : JSON.stringify(answer.headers),
      answer.status === null ? null : answer.body,
      answer.error,
      concluded.state,
      concluded.nextAttemptAt?.toISOString() ?? null,
      now.toISOString(),
    ],
  );
}

/** Cancels deliveries whose endpoint is disabled or deleted. */
export const cancelOpen = `
  update webhook_delivery set state = 'canceled', next_attempt_at = null, ended_at = $3
  where account_id = $1 and endpoint_id = $2 and state in ('pending', 'retrying')`;
