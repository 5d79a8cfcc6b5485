// Writes deliveries for an account's events. There is one row for each event and each subscribed endpoint. The cursor's
// row is the lock, so that one process at a time writes the deliveries, in the order of the event log.
import { createHash } from 'node:crypto';
import { isSubscribed } from '../../domain/events/subscription.ts';
import type { BotPullRequestFacts } from '../../domain/events/payloads.ts';
import { webhookBody } from '../../domain/events/webhook-body.ts';
import { encodeNodeId } from '../../graphql/node-id.ts';
import type { Database, SystemQueries, SystemSend } from '../../platform/database.ts';

const pageSize = 500;

interface EventRow {
  readonly id: string;
  readonly position: string;
  readonly epoch: string;
  readonly action: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly owner: string | null;
  readonly name: string | null;
  readonly pullRequestId: string | null;
  readonly batchId: string | null;
  readonly repositoryId: string | null;
  readonly candidateId: string | null;
  readonly environmentId: string | null;
  readonly deploymentId: string | null;
}

interface Cursor {
  readonly position: string;
  /** The position of the account's newest event. 0: there was never an event. */
  readonly head: string;
}

interface EndpointRow {
  readonly id: string;
  readonly actions: readonly string[];
  readonly fromPosition: string;
}

interface NewDelivery {
  readonly endpoint: string;
  readonly message: string;
  readonly action: string;
  readonly lane: string;
  readonly waitsFor: readonly string[];
  readonly body: string;
}

/**
 * Processes an account's events up to the newest event. If another process is doing this, returns at once, because that
 * process reads the same events.
 */
export async function advanceOutbox(db: Database, accountId: string, now: Date): Promise<void> {
  while (
    (await db.system.transaction(async (query, send) => await takePage({ query, send }, accountId, now))) === pageSize
  );
}

/** Whether the account has ever had an endpoint. Until then, its events have no receiver. */
export async function hasOutbox({ system }: Database, accountId: string): Promise<boolean> {
  return (await system.query('select 1 from webhook_cursor where account_id = $1', [accountId])).length > 0;
}

interface Statements {
  readonly query: SystemQueries['query'];
  readonly send: SystemSend;
}

async function takePage({ query, send }: Statements, accountId: string, now: Date): Promise<number> {
  // Both share a round trip.
  const [[cursor], [subscribed]] = await Promise.all([
    query<Cursor>(
      `select c.position, coalesce((select h.position from event_head h where h.account_id = c.account_id), 0) as head
       from webhook_cursor c where c.account_id = $1 for update of c skip locked`,
      [accountId],
    ),
    query('select 1 from webhook_endpoint where account_id = $1 and enabled and deleted_at is null limit 1', [
      accountId,
    ]),
  ]);
  if (cursor === undefined) return 0;
  if (subscribed === undefined) return await skipEvents(send, accountId, cursor);
  // These share a round trip too. The endpoints are read after the events: an endpoint that was enabled or changed
  // before an event happened is then seen as it was changed.
  const [events, endpoints] = await Promise.all([
    query<EventRow>(
      `select e.id, e.position, i.epoch, e.action, e.payload, r.owner, r.name, e.pull_request_id as "pullRequestId",
              e.batch_id as "batchId", e.repository_id as "repositoryId", e.candidate_id as "candidateId",
              e.environment_id as "environmentId", e.deployment_id as "deploymentId"
       from event e cross join installation i left join repository r on r.account_id = e.account_id and r.id = e.repository_id
       where e.account_id = $1 and e.position > $2 order by e.position limit ${pageSize}`,
      [accountId, cursor.position],
    ),
    query<EndpointRow>(
      `select id, actions, from_position as "fromPosition" from webhook_endpoint
       where account_id = $1 and enabled and deleted_at is null order by id`,
      [accountId],
    ),
  ]);
  const last = events.at(-1);
  if (last === undefined) return 0;
  const complete = (await withFailedTests(query, accountId, events)).map(withNodeIds);
  const members = await readMembers(query, accountId, events);
  const deliveries = complete.flatMap((event) => deliveriesOf(accountId, { event, members }, endpoints));
  if (deliveries.length > 0) await writeDeliveries(query, accountId, { deliveries, now });
  await send('update webhook_cursor set position = $2 where account_id = $1', [accountId, last.position]);
  return events.length;
}

interface FailedTest {
  readonly eventId: string;
  readonly botPullRequest: BotPullRequestFacts;
  readonly failedChecks: readonly string[];
}

/**
 * Adds the bot pull request and its failed checks to events about resets by a failed check (interface 6.1). The events
 * themselves name only the pull request.
 */
async function withFailedTests(
  query: SystemQueries['query'],
  accountId: string,
  events: readonly EventRow[],
): Promise<readonly EventRow[]> {
  const resets = events.filter(({ action, payload }) => action === 'reset' && payload['resetCode'] === 301);
  if (resets.length === 0) return events;
  const rows = await query<FailedTest>(failedTests, [accountId, resets.map(({ id }) => id)]);
  const found = new Map(rows.map(({ eventId, ...facts }) => [eventId, facts]));
  return events.map((event) => ({ ...event, payload: { ...event.payload, ...found.get(event.id) } }));
}

// The rows can be read later, because rows of ended batches do not change. For a pull request that was reset for
// another reason, the query finds no failed batch at the time of the event, or a failed batch without a failed check.
const failedTests = `
  select e.id as "eventId", checks.names as "failedChecks",
         jsonb_build_object('number', bot.number, 'url', bot.url, 'targetBranch', bot.target_branch,
                            'headCommitSha', bot.head_commit_sha, 'preBatchSha', bot.pre_batch_sha) as "botPullRequest"
  from event e
  cross join lateral (
    select b.id from batch_member m join batch b on b.account_id = m.account_id and b.id = m.batch_id
    where m.account_id = $1 and m.pull_request_id = e.pull_request_id and b.state = 'failed' and b.ended_at between e.at - interval '10 seconds' and e.at
    order by b.id desc limit 1
  ) failed
  join bot_pull_request bot on bot.account_id = $1 and bot.batch_id = failed.id
  cross join lateral (
    select array_agg(last.name order by last.name) as names from (
      select distinct on (c.name) c.name, c.conclusion from check_result c
      where c.account_id = $1 and c.repository_id = bot.repository_id and c.commit = bot.head_commit_sha
      order by c.name, c.attempt desc
    ) last where last.conclusion in ('failure', 'error', 'timed_out', 'action_required')
  ) checks
  where e.account_id = $1 and e.id = any ($2::bigint[]) and checks.names is not null`;

/**
 * Adds the public ids to events about a deployment or a candidate, whose webhooks contain the whole object (interface
 * 6.6).
 */
function withNodeIds(event: EventRow): EventRow {
  const { candidateId, deploymentId, payload } = event;
  if (candidateId === null) return event;
  const id =
    deploymentId === null ? encodeNodeId('ReleaseCandidate', candidateId) : encodeNodeId('Deployment', deploymentId);
  const taken = payload['rollbackOfId'];
  const rollbackOf = typeof taken === 'string' ? encodeNodeId('Deployment', taken) : null;
  return { ...event, payload: { ...payload, id, rollbackOf } };
}

// Without an endpoint, past events have no receiver, so the cursor skips them. The head was read before the endpoints,
// so that no event is skipped that happened after an endpoint was enabled.
async function skipEvents(send: SystemSend, accountId: string, { head }: Cursor): Promise<number> {
  await send('update webhook_cursor set position = $2 where account_id = $1 and position < $2', [accountId, head]);
  return 0;
}

/** The pull requests of batches, by batch, for events that concern a whole batch. */
async function readMembers(
  query: SystemQueries['query'],
  accountId: string,
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const batches = events.flatMap(({ batchId, pullRequestId }) => (pullRequestId === null ? (batchId ?? []) : []));
  if (batches.length === 0) return new Map();
  const rows = await query<{ batchId: string; members: readonly string[] }>(
    `select batch_id::text as "batchId", array_agg(pull_request_id::text) as members from batch_member
     where account_id = $1 and batch_id = any ($2::bigint[]) group by batch_id`,
    [accountId, batches],
  );
  return new Map(rows.map(({ batchId, members }) => [batchId, members]));
}

interface DeliveredEvent {
  readonly event: EventRow;
  readonly members: ReadonlyMap<string, readonly string[]>;
}

function deliveriesOf(
  accountId: string,
  { event, members }: DeliveredEvent,
  endpoints: readonly EndpointRow[],
): NewDelivery[] {
  const subscribed = endpoints.filter(
    ({ actions, fromPosition }) => isSubscribed(actions, event.action) && BigInt(event.position) > BigInt(fromPosition),
  );
  if (subscribed.length === 0 || event.owner === null || event.name === null) return [];
  const payload = webhookBody(event, { owner: event.owner, name: event.name });
  if (payload === null) return [];
  const body = JSON.stringify(payload);
  const lane = laneOf(event);
  return subscribed.map(({ id }) => ({
    endpoint: id,
    message: messageId(event.epoch, [accountId, id, event.position, event.id, body]),
    action: event.action,
    lane,
    waitsFor: (lane.startsWith('batch:') ? (members.get(event.batchId ?? '') ?? []) : []).map(laneOfPullRequest),
    body,
  }));
}

// First attempts in one lane are made in order. Each pull request and each environment has a lane, and deliveries about
// a batch wait for the deliveries about its members. Candidates and repositories have their own lanes, so that a slow
// answer delays only deliveries about the same subject.
function laneOf({ pullRequestId, batchId, repositoryId, environmentId, candidateId }: EventRow): string {
  if (pullRequestId !== null) return laneOfPullRequest(pullRequestId);
  if (environmentId !== null) return `environment:${environmentId}`;
  if (candidateId !== null) return `candidate:${candidateId}`;
  return batchId === null ? `repository:${repositoryId}` : `batch:${batchId}`;
}

function laneOfPullRequest(id: string): string {
  return `pull_request:${id}`;
}

/**
 * The id of a message, which is always the same for one event and endpoint. After a restore of the database, when
 * positions repeat, other events get other ids, because the id depends on the epoch and on the event's content.
 */
export function messageId(epoch: string | number, parts: readonly string[]): string {
  return `msg_${epoch}_${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 24)}`;
}

/**
 * Leaves out endpoints that were disabled or deleted meanwhile. The others are locked until the commit, so that a change
 * that disables one waits, and then cancels its deliveries.
 */
async function writeDeliveries(
  query: SystemQueries['query'],
  accountId: string,
  { deliveries, now }: { readonly deliveries: readonly NewDelivery[]; readonly now: Date },
): Promise<void> {
  await query(
    `with enabled as materialized (
       select id from webhook_endpoint where account_id = $1 and enabled and deleted_at is null order by id for share
     )
     insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, waits_for, body, created_at)
     select $1::bigint, e.id, d ->> 'message', d ->> 'action', d ->> 'lane',
       array(select jsonb_array_elements_text(d -> 'waitsFor')), d ->> 'body', $3::timestamptz
     from jsonb_array_elements($2::jsonb) with ordinality as list (d, n) join enabled e on e.id = (d ->> 'endpoint')::bigint
     order by n
     on conflict do nothing`,
    [accountId, JSON.stringify(deliveries), now.toISOString()],
  );
}
