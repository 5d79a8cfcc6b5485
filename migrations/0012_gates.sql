-- One retry of a failed check for each commit, for good: what makes it one is this row, not the attempts, which others
-- (a person, the host) may add to as well.
create table check_retry (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  name text not null,
  -- The attempt that failed.
  attempt integer not null,
  state text not null default 'planned' check (state in ('planned', 'started', 'refused')),
  -- What the repository says of this check, as it was at the commit.
  context text not null default '',
  planned_at timestamptz not null,
  started_at timestamptz,
  primary key (account_id, repository_id, commit, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- A final gate asked for one batch: a workflow's run on the commit that lands. Asked once for each.
create table gate_run (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  queue_id bigint not null,
  batch_id bigint not null,
  workflow text not null,
  commit text not null,
  state text not null default 'planned' check (state in ('planned', 'running', 'passed', 'failed')),
  -- The host's name for the run.
  run text,
  url text,
  -- Why it failed.
  reason text,
  planned_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  unique (account_id, id),
  unique (account_id, batch_id, workflow),
  foreign key (account_id, batch_id) references batch (account_id, id)
);
create index gate_run_open on gate_run (account_id, repository_id, commit) where state in ('planned', 'running');

-- The local host runs workflows on demand beside its checks: one run for each dispatch key, never counted as a check.
alter table local_check_run add column dispatch_key text;
do $$
declare taken text;
begin
  select conname into strict taken from pg_constraint
  where conrelid = 'local_check_run'::regclass and contype = 'u' and array_length(conkey, 1) = 5;
  execute format('alter table local_check_run drop constraint %I', taken);
end $$;
create unique index local_check_run_attempt on local_check_run (account_id, repository_id, commit, name, attempt)
  where dispatch_key is null;
create unique index local_check_run_dispatch on local_check_run (account_id, repository_id, dispatch_key)
  where dispatch_key is not null;

-- A bot pull request is used again by the batches after the one it was opened for: a row for each, of one number.
alter table bot_pull_request add column heir_batch_id bigint;
-- Its batch ended without landing, and a later one may use it again. Until then it stays open.
alter table bot_pull_request add column spare boolean not null default false;
-- Its branch stands on this batch's commit. Null: it was taken over, and the host was not told yet.
alter table bot_pull_request add column opened_at timestamptz;
update bot_pull_request set opened_at = created_at;
do $$
declare taken text;
begin
  select c.conname into strict taken from pg_constraint c
  where c.conrelid = 'bot_pull_request'::regclass and c.contype = 'u' and array_length(c.conkey, 1) = 3;
  execute format('alter table bot_pull_request drop constraint %I', taken);
end $$;
create index bot_pull_request_number on bot_pull_request (account_id, repository_id, number, batch_id desc);
create index bot_pull_request_spare on bot_pull_request (account_id, repository_id) where spare;

select guard_new_tables();
