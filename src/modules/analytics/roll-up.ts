// Adds events to buckets of fifteen minutes. An account's progress row is the lock and the cursor. One transaction adds
// events and moves the cursor, so that no event is counted twice or left out, even if several processes work or one of
// them dies.
import type { Database, SystemQueries } from '../../platform/database.ts';

const batchSize = 2_000;

const behind = `from event_head h left join analytics_progress p using (account_id)
     where h.position > coalesce(p.position, 0)`;

/** SQL: whether `rollUpEvents` would add an event. */
export const eventsAreDue = `exists (select ${behind})`;

/**
 * Adds to the buckets of every account all events that have a position and are not counted yet. Returns the number of
 * added events. A failure of one account does not keep the events of others from being counted.
 */
export async function rollUpEvents(db: Database): Promise<number> {
  const accounts = await db.system.query<{ id: string }>(`select h.account_id as id ${behind} order by h.account_id`);
  const failures: unknown[] = [];
  let total = 0;
  for (const { id } of accounts) {
    try {
      total += await rollUpAccount(db, id);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The events of an account could not be counted.');
  return total;
}

async function rollUpAccount(db: Database, accountId: string): Promise<number> {
  for (let total = 0; ; ) {
    const taken = await db.system.transaction(async (query) => await rollUpBatch(query, accountId));
    total += taken;
    if (taken < batchSize) return total;
  }
}

async function rollUpBatch(query: SystemQueries['query'], accountId: string): Promise<number> {
  await query('insert into analytics_progress (account_id) values ($1) on conflict do nothing', [accountId]);
  const [progress] = await query<{ position: string }>(
    'select position from analytics_progress where account_id = $1 for no key update skip locked',
    [accountId],
  );
  // Another process is adding the events of this account.
  if (progress === undefined) return 0;
  const [moved] = await query<{ taken: number }>(addStatement, [accountId, progress.position]);
  return moved?.taken ?? 0;
}

// Events of an erased repository are not counted. The stored result of a day that contains a changed bucket is outdated.
// No local day is longer than two UTC days, which limits the scanned range of the index.
const addStatement = `
with taken as materialized (
  select id, position, repository_id, pull_request_id, action, payload, at from event
  where account_id = $1 and position is not null and position > $2 order by position limit ${batchSize}
), fact as (
  select id, repository_id, action,
         case when action = 'merged' then coalesce((payload ->> 'mergedAt')::timestamptz, at) else at end as at,
         (payload ->> 'mergedByQueue')::boolean as by_queue, (payload ->> 'statusCode')::integer as code,
         (payload ->> 'syncCount')::bigint as syncs,
         case action when 'merged' then (payload ->> 'queuedAt')::timestamptz else (payload ->> 'preconditionsHeldAt')::timestamptz end as since,
         action = 'added_to_batch' and exists (
           select from event earlier
           where earlier.account_id = $1 and earlier.pull_request_id = taken.pull_request_id and earlier.id < taken.id
             and earlier.action = 'added_to_batch'
             and earlier.payload ->> 'preconditionsHeldAt' = taken.payload ->> 'preconditionsHeldAt') as is_again
  from taken
  where action in ('merged', 'blocked', 'dequeued', 'added_to_batch')
    and exists (select from repository r where r.account_id = $1 and r.id = taken.repository_id)
), sample as (
  select *, action in ('blocked', 'dequeued') as is_stop, date_bin('15 minutes', at, timestamptz '2000-01-01T00:00:00Z') as bucket,
         greatest(round(extract(epoch from at - since) * 1000), 0)::bigint as lasted_ms
  from fact
), added as (
  insert into analytics_bucket as b (account_id, repository_id, starts_at, merged, merged_by_queue,
    merge_conflict, ci_failure, manual_dequeue, ci_timeout, other, time_in_queue, wait_to_queue, syncs)
  select $1, repository_id, bucket,
    count(*) filter (where action = 'merged'),
    count(*) filter (where action = 'merged' and by_queue),
    count(*) filter (where is_stop and code = 106),
    count(*) filter (where is_stop and code = 107),
    count(*) filter (where is_stop and code in (104, 105)),
    count(*) filter (where is_stop and code in (111, 112)),
    count(*) filter (where is_stop and (code is null or code not in (104, 105, 106, 107, 111, 112))),
    coalesce(array_agg(lasted_ms) filter (where action = 'merged' and since is not null), '{}'),
    coalesce(array_agg(lasted_ms) filter (where action = 'added_to_batch' and not is_again and since is not null), '{}'),
    coalesce(array_agg(syncs) filter (where action = 'merged' and syncs is not null), '{}')
  from sample group by repository_id, bucket order by repository_id, bucket
  on conflict (account_id, repository_id, starts_at) do update set
    merged = b.merged + excluded.merged, merged_by_queue = b.merged_by_queue + excluded.merged_by_queue,
    merge_conflict = b.merge_conflict + excluded.merge_conflict, ci_failure = b.ci_failure + excluded.ci_failure,
    manual_dequeue = b.manual_dequeue + excluded.manual_dequeue, ci_timeout = b.ci_timeout + excluded.ci_timeout,
    other = b.other + excluded.other, time_in_queue = b.time_in_queue || excluded.time_in_queue,
    wait_to_queue = b.wait_to_queue || excluded.wait_to_queue, syncs = b.syncs || excluded.syncs
), outdated as (
  delete from analytics_day d using (select distinct repository_id, bucket from sample) changed
  where d.account_id = $1 and d.repository_id = changed.repository_id and d.starts_at <= changed.bucket
    and d.starts_at > changed.bucket - interval '2 days' and d.ends_at > changed.bucket
), moved as (
  update analytics_progress set position = coalesce((select max(position) from taken), position) where account_id = $1
)
select count(*)::integer as taken from taken`;
