-- Statistics of repositories, added up from the event log (ADR 0005).

-- What the queues of a repository did in a quarter of an hour. Offsets of time zones are multiples of 15 minutes, so the
-- days of every zone consist of whole buckets.
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
  -- Samples as they came, because percentiles cannot be added up. Milliseconds; syncs are counts.
  time_in_queue bigint[] not null default '{}',
  wait_to_queue bigint[] not null default '{}',
  syncs bigint[] not null default '{}',
  primary key (account_id, repository_id, starts_at),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- A day that is over, as it was read. Its key is its ends, so zones with the same day share it. It is removed when one of
-- its buckets changes after all, and the next reader makes it again.
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
  -- min, avg, p50, p75, p90, p100. Null: no samples.
  time_in_queue float8[],
  wait_to_queue float8[],
  syncs float8[],
  primary key (account_id, repository_id, starts_at, ends_at),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- The position up to which an account's events are in its buckets. The row is the lock of both tables above: adding events
-- takes it alone, keeping a day shares it.
create table analytics_progress (
  account_id bigint primary key references account,
  position bigint not null default 0
);

select guard_new_tables();
