-- Releases, environments, deployments and freezes (interface 2.11, 3.2, 4.8).

-- What is released: candidates of one repository, deployed to environments.
create table release_project (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  name text not null,
  repository_id bigint not null,
  -- How a candidate is built when that is asked for, without its secret. Null: it is ready at once.
  build_provider jsonb,
  build_secret bytea,
  build_timeout_sec integer not null default 3600 check (build_timeout_sec > 0),
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

create table environment (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  project_id bigint not null,
  name text not null,
  -- Place on the way of a candidate, from 1.
  position integer not null,
  tier text not null check (tier in ('development', 'testing', 'staging', 'production', 'other')),
  -- How deployments are made, without its secret: {kind, …}.
  provider jsonb not null,
  provider_secret bytea,
  report_timeout_sec integer not null default 3600 check (report_timeout_sec > 0),
  freeze_after_rollback boolean not null default false,
  -- How long it then stays frozen. Null: until somebody ends it.
  freeze_after_rollback_sec integer check (freeze_after_rollback_sec > 0),
  -- Who may change the environment now. The slot, not the status, is the mutex; the fence counts who has had it.
  current_deployment_id bigint,
  fence bigint not null default 0,
  -- Bumped by whoever changes what its deployments are decided by.
  version bigint not null default 0,
  -- When its freezes change next, as far as that was told.
  next_freeze_change_at timestamptz,
  announced_frozen boolean not null default false,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, project_id, name),
  foreign key (account_id, project_id) references release_project (account_id, id)
);
create index environment_freeze_change on environment (next_freeze_change_at) where next_freeze_change_at is not null;

create table release (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  project_id bigint not null,
  version text not null,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, project_id, version),
  foreign key (account_id, project_id) references release_project (account_id, id)
);

-- Its version and commit never change.
create table release_candidate (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  project_id bigint not null,
  release_id bigint not null,
  version text not null,
  number integer not null,
  commit text not null,
  repository_id bigint not null,
  status text not null check (status in ('building', 'ready', 'failed')),
  -- Bumped by every change of its status: an older answer of its build is dropped.
  revision bigint not null default 0,
  error_message text,
  -- What the provider of the build calls its run. Null: not triggered yet.
  provider_run text,
  triggered_at timestamptz,
  -- No call to its provider before that. Null: none is put off.
  call_at timestamptz,
  -- Calls in a row of the same kind: what the time between them grows by.
  calls integer not null default 0,
  -- What the last of them failed with. Null: it did not.
  problem text,
  -- Who attends to a run that lives only meanwhile, and until when nobody else does.
  attended_by text,
  attended_until timestamptz,
  -- When it is looked at although nobody said that it changed: by the relay, should its workflow be lost.
  next_look_at timestamptz,
  actor text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (account_id, id),
  unique (account_id, project_id, version),
  foreign key (account_id, project_id) references release_project (account_id, id),
  foreign key (account_id, release_id) references release (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index release_candidate_commit on release_candidate (account_id, repository_id, commit);
create index release_candidate_newest on release_candidate (account_id, project_id, id desc);
create index release_candidate_due on release_candidate (next_look_at) where next_look_at is not null;

create table deployment (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  environment_id bigint not null,
  candidate_id bigint not null,
  -- What ran there before it. Null: nothing did.
  from_candidate_id bigint,
  kind text not null check (kind in ('forward', 'rollback')),
  -- The deployment a rollback takes back.
  rollback_of_id bigint,
  status text not null check (status in ('pending', 'in_progress', 'success', 'failure', 'canceling', 'canceled', 'error', 'unknown')),
  -- Bumped by every change of its status: an answer that began from an older one is dropped.
  revision bigint not null default 0,
  error_message text,
  -- Goes on although the environment is frozen.
  forced boolean not null default false,
  -- Reported from outside: never triggered by us.
  reported boolean not null default false,
  -- The fence under which it took the slot. Null: it never did.
  fence bigint,
  -- What the provider calls its run. Null: not triggered, or it has no name for it.
  provider_run text,
  triggered_at timestamptz,
  -- When its trigger was begun: between the two the provider may have been called.
  trigger_begun_at timestamptz,
  cancel_requested_at timestamptz,
  -- When the provider was told to cancel. Null: not yet.
  cancel_told_at timestamptz,
  -- No call to its provider before that. Null: none is put off.
  call_at timestamptz,
  -- Calls in a row of the same kind: what the time between them grows by.
  calls integer not null default 0,
  -- What the last of them failed with. Null: it did not.
  problem text,
  -- Who attends to a run that lives only meanwhile, and until when nobody else does.
  attended_by text,
  attended_until timestamptz,
  -- When it is looked at although nobody said that it changed: by the relay, should its workflow be lost.
  next_look_at timestamptz,
  actor text not null,
  created_at timestamptz not null,
  deploy_start_at timestamptz,
  deploy_end_at timestamptz,
  -- When its status last changed, or its provider last said that it goes on: what the time for reports is counted from.
  status_at timestamptz not null,
  unique (account_id, id),
  foreign key (account_id, environment_id) references environment (account_id, id),
  foreign key (account_id, candidate_id) references release_candidate (account_id, id),
  foreign key (account_id, from_candidate_id) references release_candidate (account_id, id),
  foreign key (account_id, rollback_of_id) references deployment (account_id, id)
);
create index deployment_newest on deployment (account_id, environment_id, id desc);
create index deployment_of_candidate on deployment (account_id, candidate_id, environment_id, id desc);
create index deployment_open on deployment (account_id, environment_id, id) where status in ('pending', 'in_progress', 'canceling', 'unknown');
create index deployment_due on deployment (next_look_at) where next_look_at is not null;
-- Successes in the order in which they came true: what a rollback goes back by.
create index deployment_successes on deployment (account_id, environment_id, deploy_end_at, id) where status = 'success';
alter table environment add foreign key (account_id, current_deployment_id) references deployment (account_id, id);

-- What a provider's run wrote, in pieces, oldest first.
create table deployment_log (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  -- One of the two.
  deployment_id bigint,
  candidate_id bigint,
  text text not null,
  at timestamptz not null,
  check (num_nonnulls(deployment_id, candidate_id) = 1),
  foreign key (account_id, deployment_id) references deployment (account_id, id) on delete cascade,
  foreign key (account_id, candidate_id) references release_candidate (account_id, id) on delete cascade
);
create index deployment_log_deployment on deployment_log (account_id, deployment_id, id) where deployment_id is not null;
create index deployment_log_candidate on deployment_log (account_id, candidate_id, id) where candidate_id is not null;

-- One calendar: environments and base branches are frozen by the same kind of row.
create table freeze_rule (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  -- What is frozen: an environment, or the base branches of a repository that match a pattern.
  environment_id bigint,
  repository_id bigint,
  base_branches text,
  source text not null check (source in ('manual', 'schedule', 'rollback')),
  reason text,
  -- A manual one or one after a rollback: from when, until when. Null: until it is ended.
  starts_at timestamptz,
  ends_at timestamptz,
  -- A schedule: five fields each, in a time zone.
  cron_start text,
  cron_end text,
  timezone text,
  created_by text not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  unique (account_id, id),
  check (num_nonnulls(environment_id, repository_id) = 1),
  check ((repository_id is null) = (base_branches is null)),
  check ((source = 'schedule') = (cron_start is not null and cron_end is not null and timezone is not null)),
  check (source = 'schedule' or starts_at is not null),
  foreign key (account_id, environment_id) references environment (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index freeze_rule_environment on freeze_rule (account_id, environment_id) where deleted_at is null and environment_id is not null;
create index freeze_rule_repository on freeze_rule (account_id, repository_id) where deleted_at is null and repository_id is not null;
-- PUT replaces the manual one.
create unique index freeze_rule_manual on freeze_rule (account_id, environment_id) where deleted_at is null and source = 'manual' and environment_id is not null;

-- What an event is about, beside what 0001 knew.
alter table event add column candidate_id bigint, add column environment_id bigint, add column deployment_id bigint;

select guard_new_tables();
