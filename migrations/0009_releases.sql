-- Releases, environments, deployments and freezes (interface 2.11, 3.2, 4.8).

-- What is released: candidates of one repository, deployed to environments.
create table release_project (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  name text not null,
  repository_id bigint not null,
  -- How a candidate is built on request, without the secret. Null: a candidate is ready at once.
  build_provider jsonb,
  build_secret bytea,
  -- Since when the project builds at this provider. Null: since it was made. Builds started before ran at another
  -- provider, so this one is not asked about them.
  build_provider_since timestamptz,
  build_timeout_sec integer not null default 3600 check (build_timeout_sec > 0),
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index release_project_repository on release_project (account_id, repository_id);

-- The lock of its deployments.
create table environment (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  project_id bigint not null,
  name text not null,
  -- Its place on the way of a candidate, from 1.
  position integer not null,
  tier text not null check (tier in ('development', 'testing', 'staging', 'production', 'other')),
  -- How deployments are made, without the secret: {kind, …}.
  provider jsonb not null,
  provider_secret bytea,
  -- As `release_project.build_provider_since`, of deployments.
  provider_since timestamptz,
  report_timeout_sec integer not null default 3600 check (report_timeout_sec > 0),
  freeze_after_rollback boolean not null default false,
  -- How long that freeze holds. Null: until somebody ends it.
  freeze_after_rollback_sec integer check (freeze_after_rollback_sec > 0),
  -- When its freezes change next. Changes before that have been announced by events.
  next_freeze_change_at timestamptz,
  announced_frozen boolean not null default false,
  -- The deployment that may change the environment now. The slot, not the status, is the mutex; the fence counts the
  -- deployments that have had it.
  current_deployment_id bigint,
  fence bigint not null default 0,
  -- Every change of what its deployments are decided by increments it.
  version bigint not null default 0,
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

-- Version and commit never change.
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
  -- Every change of the status increments it. An answer of the build that began under an older revision is dropped.
  revision bigint not null default 0,
  error_message text,
  -- The provider's name of the build's run. Null: not triggered yet.
  provider_run text,
  triggered_at timestamptz,
  -- No call to the provider before that. Null: no call is put off.
  call_at timestamptz,
  -- Calls of one kind in a row: the back-off grows by them.
  calls integer not null default 0,
  -- What the last call failed with. Null: it succeeded.
  problem text,
  -- The lease of a build that lives only while a worker supervises it.
  supervised_by text,
  supervised_until timestamptz,
  -- When the relay looks at it although nobody said that it changed, should its workflow be lost.
  next_look_at timestamptz,
  -- When git is asked about it next: a ref pins its commit, and what it has of the base branches is read, so that no
  -- question about releases waits for git. Null: done.
  git_look_at timestamptz,
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
create index release_candidate_git_due on release_candidate (git_look_at) where git_look_at is not null;

create table deployment (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  environment_id bigint not null,
  candidate_id bigint not null,
  -- The candidate that ran there before. Null: none did.
  from_candidate_id bigint,
  kind text not null check (kind in ('forward', 'rollback')),
  -- The deployment that a rollback takes back.
  rollback_of_id bigint,
  status text not null check (status in ('pending', 'in_progress', 'success', 'failure', 'canceling', 'canceled', 'error', 'unknown')),
  -- Every change of the status increments it. An answer that began under an older revision is dropped.
  revision bigint not null default 0,
  error_message text,
  -- It goes on although the environment is frozen.
  forced boolean not null default false,
  -- Reported from outside: the service never triggers it.
  reported boolean not null default false,
  -- The fence under which it took the slot. Null: it never did.
  fence bigint,
  -- The provider's name of the run. Null: not triggered, or the provider has no name for it.
  provider_run text,
  -- Between these two the provider may have been called.
  trigger_started_at timestamptz,
  triggered_at timestamptz,
  cancel_requested_at timestamptz,
  -- When the provider was asked to cancel. Null: not yet.
  cancel_sent_at timestamptz,
  -- The provider is still to be notified of the cancellation, though nothing waits for that: the deployment was unknown
  -- when it was canceled.
  cancel_owed boolean not null default false,
  -- No call to the provider before that. Null: no call is put off.
  call_at timestamptz,
  -- Calls of one kind in a row: the back-off grows by them.
  calls integer not null default 0,
  -- What the last call failed with. Null: it succeeded.
  problem text,
  -- The lease of a run that lives only while a worker supervises it.
  supervised_by text,
  supervised_until timestamptz,
  -- When the relay looks at it although nobody said that it changed, should its workflow be lost.
  next_look_at timestamptz,
  actor text not null,
  created_at timestamptz not null,
  deploy_start_at timestamptz,
  -- When a report from outside last started it again after its end (interface 3.2): a rollback takes the deployment
  -- that started last. Null: at `deploy_start_at`.
  last_start_at timestamptz,
  deploy_end_at timestamptz,
  -- When the status last changed, or the provider last said that the run goes on: the time for reports counts from it.
  status_at timestamptz not null,
  unique (account_id, id),
  foreign key (account_id, environment_id) references environment (account_id, id),
  foreign key (account_id, candidate_id) references release_candidate (account_id, id),
  foreign key (account_id, from_candidate_id) references release_candidate (account_id, id),
  foreign key (account_id, rollback_of_id) references deployment (account_id, id)
);
create index deployment_newest on deployment (account_id, environment_id, id desc);
create index deployment_of_candidate on deployment (account_id, candidate_id, environment_id, id desc);
create index deployment_open on deployment (account_id, environment_id, id)
  where status in ('pending', 'in_progress', 'canceling', 'unknown');
create index deployment_due on deployment (next_look_at) where next_look_at is not null;
-- A rollback asks for the deployment that started last under the environment's row, and gets it from the index alone.
create index deployment_started on deployment (account_id, environment_id, coalesce(last_start_at, deploy_start_at) desc, id desc)
  where deploy_start_at is not null;
-- Successes in the order of their ends: a rollback walks back along them.
create index deployment_successes on deployment (account_id, environment_id, deploy_end_at, id) where status = 'success';
-- The two tables refer to each other.
alter table environment add foreign key (account_id, current_deployment_id) references deployment (account_id, id);

-- What the run of a deployment or of a candidate's build wrote, in pieces, oldest first.
create table deployment_log (
  account_id bigint not null,
  id bigint generated always as identity primary key,
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

-- Freezes of environments and of base branches: one calendar (ADR 0034).
create table freeze_rule (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  -- What is frozen: an environment, or the base branches of a repository that match a pattern.
  environment_id bigint,
  repository_id bigint,
  base_branches text,
  source text not null check (source in ('manual', 'schedule', 'rollback')),
  reason text,
  -- Of a manual freeze or one after a rollback. `ends_at` null: until somebody ends it.
  starts_at timestamptz,
  ends_at timestamptz,
  -- Of a schedule: five fields each, in a time zone.
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
create index freeze_rule_environment on freeze_rule (account_id, environment_id)
  where deleted_at is null and environment_id is not null;
create index freeze_rule_repository on freeze_rule (account_id, repository_id)
  where deleted_at is null and repository_id is not null;
-- Explanations of a past moment read freezes that have ended too.
create index freeze_rule_past on freeze_rule (account_id, repository_id, created_at) where repository_id is not null;
-- A manual freeze replaces the manual freeze of the same environment, or of the same pattern.
create unique index freeze_rule_manual on freeze_rule (account_id, environment_id)
  where deleted_at is null and source = 'manual' and environment_id is not null;
create unique index freeze_rule_branches_manual on freeze_rule (account_id, repository_id, base_branches)
  where deleted_at is null and source = 'manual' and repository_id is not null;

-- The next three tables keep git's answers about which commits a candidate has (interface 2.11, ADR 0036). Git is the
-- truth: they may be emptied at any time, and git is asked again.

-- How far a base branch was followed.
create table base_chain (
  account_id bigint not null,
  queue_id bigint not null,
  tip text not null,
  length integer not null check (length >= 0),
  primary key (account_id, queue_id),
  foreign key (account_id, queue_id) references queue (account_id, id)
);

-- The commits of a base branch since it is managed, from 1. Each one is an ancestor of the later ones.
create table base_commit (
  account_id bigint not null,
  queue_id bigint not null,
  position integer not null check (position > 0),
  commit text not null,
  primary key (account_id, queue_id, position),
  unique (account_id, queue_id, commit),
  foreign key (account_id, queue_id) references base_chain (account_id, queue_id)
);

-- Up to which position a candidate has the commits of a base branch. 0: it has none.
create table candidate_reach (
  account_id bigint not null,
  queue_id bigint not null,
  candidate_id bigint not null,
  position integer not null check (position >= 0),
  -- The candidate is known not to have the next commit, so it never will.
  bounded boolean not null,
  primary key (account_id, queue_id, candidate_id),
  foreign key (account_id, queue_id) references base_chain (account_id, queue_id),
  foreign key (account_id, candidate_id) references release_candidate (account_id, id)
);
create index candidate_reach_candidate on candidate_reach (account_id, candidate_id, queue_id);

select guard_new_tables();
