-- What the queues of a repository did, in quarters of an hour: offsets of time zones are multiples of 15 minutes, so
-- that the days of every zone are made of whole ones. Fed from the event log by position.
create table analytics_bucket (
  account_id bigint not null,
  repository_id bigint not null,
  starts_at timestamptz not null check (starts_at = date_bin('15 minutes', starts_at, timestamptz '2000-01-01T00:00:00Z')),
  merged integer not null default 0,
  merged_by_queue integer not null default 0,
  merge_conflict integer not null default 0,
  ci_failure integer not null default 0,
  manual_dequeue integer not null default 0,
  ci_timeout integer not null default 0,
  other integer not null default 0,
  -- Samples as they came, in milliseconds; syncs are counts. Kept one by one: percentiles cannot be added up.
  time_in_queue bigint[] not null default '{}',
  wait_to_queue bigint[] not null default '{}',
  syncs bigint[] not null default '{}',
  primary key (account_id, repository_id, starts_at),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- A day that is over, as it was read: named by its ends, so that zones that share them share it. Removed when one of
-- its buckets changes after all, and made again by the next reader.
create table analytics_day (
  account_id bigint not null,
  repository_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  merged integer not null,
  merged_by_queue integer not null,
  merge_conflict integer not null,
  ci_failure integer not null,
  manual_dequeue integer not null,
  ci_timeout integer not null,
  other integer not null,
  -- min, avg, p50, p75, p90, p100; null without samples.
  time_in_queue float8[],
  wait_to_queue float8[],
  syncs float8[],
  primary key (account_id, repository_id, starts_at, ends_at),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- Up to which position an account's events are in its buckets. Its row is the lock of both tables above: who adds
-- events holds it alone, who keeps a day shares it.
create table analytics_progress (
  account_id bigint primary key references account,
  position bigint not null default 0
);

select guard_new_tables();
set local role interlock_system;

-- Events written before analytics were read from them said less; while the rows still know, they are told.
update event e set payload = e.payload || jsonb_build_object(
  'mergedAt', to_jsonb(coalesce(p.merged_at, e.at)), 'mergedByQueue', coalesce(p.merged_by_queue, false),
  'queuedAt', to_jsonb(p.queued_at), 'syncCount', p.sync_count)
from pull_request p
where e.action = 'merged' and p.account_id = e.account_id and p.id = e.pull_request_id and not jsonb_exists(e.payload, 'mergedAt');

update event e set payload = e.payload || jsonb_build_object('preconditionsHeldAt', to_jsonb(
  (select max(q.at) from event q where q.account_id = e.account_id and q.pull_request_id = e.pull_request_id and q.action = 'queued' and q.id < e.id)))
where e.action = 'added_to_batch' and not jsonb_exists(e.payload, 'preconditionsHeldAt');

-- It says since when they hold for one in line, and nothing of one that left.
update pull_request set preconditions_held_at = null where status not in ('queued', 'tagged') and preconditions_held_at is not null;

reset role;
