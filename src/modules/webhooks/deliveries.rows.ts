// The rows of deliveries on their way: taking them, so that no other process sends the same one meanwhile, and writing
// what came of it. An attempt is counted before it is made: one whose sender dies stays without an outcome, and the next
// one has a number of its own under the same id.
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
  /** Failed attempts the schedule counts. */
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

// An attempt ends after 15 s; what is held for longer has nobody behind it.
const leaseMs = 30_000;

const taking = `
  taken as (
    update webhook_delivery d set leased_until = $4, attempts = d.attempts + 1
    from next where d.account_id = $1 and d.id = next.id
    returning d.id, d.endpoint_id, d.message_id, d.action, d.body, d.attempts, d.failures
  ), begun as (
    insert into webhook_attempt (account_id, delivery_id, number, started_at) select $1, id, attempts, $3 from taken
  )
  select id, endpoint_id as "endpointId", message_id as "messageId", action, body, attempts, failures from taken order by id`;

/** The oldest of each lane that nobody has taken and that waits for no other lane, at most `most`. */
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

/** A delivery whose next attempt is due; null when it is not, or not any more. */
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
  /** Milliseconds; null when nothing will be tried any more. */
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
 * Writes what came of an attempt. A success is one however late it comes, and ends its endpoint's failing; any other
 * outcome counts only for the newest attempt of a delivery that is still open, and once.
 */
export async function writeOutcome(
  { query }: Pick<Transaction, 'query'>,
  taken: TakenDelivery,
  { requestHeaders, answer, concluded, now }: Outcome,
): Promise<void> {
  // By a statement of its own, and first: who disables an endpoint or sends again locks the endpoint before deliveries.
  if (concluded.state === 'succeeded')
    await query(
      'update webhook_endpoint set failing_since = null where account_id = $1 and id = $2 and failing_since is not null',
      [taken.accountId, taken.endpointId],
    );
  await query(
    `with told as (
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

/** What will never be sent, because its endpoint is disabled or gone. */
export const cancelOpen = `
  update webhook_delivery set state = 'canceled', next_attempt_at = null, ended_at = $3
  where account_id = $1 and endpoint_id = $2 and state in ('pending', 'retrying')`;
