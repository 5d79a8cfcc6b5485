// Reads the state of the installation as numbers for /metrics, by one statement for each group, across all accounts.
import type { BusyQueue, HostBudget } from '../../domain/metrics/bounded.ts';
import type { Database } from '../../platform/database.ts';

export async function readBusyQueues(db: Database, now: Date): Promise<readonly BusyQueue[]> {
  return await db.system.query<BusyQueue>(
    `select q.account_id::text as account, r.owner || '/' || r.name as repository, q.base_branch as "baseBranch",
            q.waiting as queued, q.tagged,
            coalesce(greatest(extract(epoch from $1::timestamptz - (
              select min(p.queued_at) from pull_request p
              where p.account_id = q.account_id and p.queue_id = q.id and p.status in ('queued', 'tagged'))), 0), 0)::float8 as "waitSec"
     from queue q join repository r on r.account_id = q.account_id and r.id = q.repository_id
     where q.waiting + q.tagged > 0`,
    [now.toISOString()],
  );
}

export interface Lags {
  readonly queuesHalted: number;
  readonly making: number;
  readonly building: number;
  readonly landing: number;
  readonly inboxEvents: number;
  readonly inboxLagSec: number;
  readonly sequencerLagSec: number;
  readonly relayLagEvents: number;
  readonly deliveriesPending: number;
  readonly deliveriesRetrying: number;
  readonly oldestPendingSec: number;
  readonly checksRunning: number;
  readonly checksWaiting: number;
  readonly previewSandboxes: number;
}

const ageSql = (instant: string): string =>
  `coalesce(greatest(extract(epoch from $1::timestamptz - ${instant}), 0), 0)::float8`;

export async function readLags(db: Database, now: Date): Promise<Lags> {
  const [row] = await db.system.query<Lags>(
    `select q.halted as "queuesHalted", b.making, b.building, b.landing,
            h.events as "inboxEvents", ${ageSql('h.oldest')} as "inboxLagSec",
            ${ageSql('(select e.at from event e where e.position is null order by e.id limit 1)')} as "sequencerLagSec",
            coalesce((select max(h.position - c.position) from webhook_cursor c join event_head h using (account_id)), 0)::float8
              as "relayLagEvents",
            w.pending as "deliveriesPending", ${ageSql('w.oldest')} as "oldestPendingSec",
            (select count(*)::int from webhook_delivery where state = 'retrying') as "deliveriesRetrying",
            c.running as "checksRunning", c.waiting as "checksWaiting",
            (select count(*)::int from preview_sandbox where state <> 'gone') as "previewSandboxes"
     from (select count(*) filter (where halted_reason is not null)::int as halted from queue) q,
          (select count(*) filter (where state = 'making')::int as making,
                  count(*) filter (where state = 'building')::int as building,
                  count(*) filter (where state = 'landing')::int as landing
           from batch where state in ('making', 'building', 'landing')) b,
          (select count(*)::int as events, min(due_at) as oldest from host_hint) h,
          (select count(*)::int as pending, min(created_at) as oldest from webhook_delivery where state = 'pending') w,
          (select count(*) filter (where state = 'running')::int as running,
                  count(*) filter (where state <> 'running')::int as waiting
           from local_check_run where state <> 'completed') c`,
    [now.toISOString()],
  );
  if (row === undefined) throw new Error('The database answered without a row.');
  return row;
}

export async function readHostBudgets(db: Database, now: Date): Promise<readonly HostBudget[]> {
  // After the end of its hour, a budget counts as full.
  return await db.system.query<HostBudget>(
    `select installation_id as installation, resource, max("limit")::int as "limit",
            min(case when resets_at > $1::timestamptz then remaining else "limit" end)::int as remaining
     from host_budget, lateral (values ('rest', rest_limit, rest_left, rest_resets_at),
                                       ('graphql', graphql_limit, graphql_left, graphql_resets_at))
                               as of (resource, "limit", remaining, resets_at)
     where "limit" > 0 and remaining is not null
     group by installation_id, resource`,
    [now.toISOString()],
  );
}
