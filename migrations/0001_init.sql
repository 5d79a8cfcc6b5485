-- Everything an account owns carries account_id, leads its unique keys with it, and is guarded by row-level
-- security (see docs/adr/0004-tenancy.md). `interlock_app` serves requests and activities; it owns nothing.
-- `interlock_system` works across accounts: the relay, the sequencer, token look-up. Text enums stay text:
-- enum operators are not leakproof and would lose their index under row-level security.

do $$ begin
  if not exists (select from pg_roles where rolname = 'interlock_app') then create role interlock_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'interlock_system') then create role interlock_system nologin; end if;
  execute format('grant interlock_app, interlock_system to %I', current_user);
exception when duplicate_object or unique_violation then null;
end $$;

create table installation (
  id smallint primary key default 1 check (id = 1),
  epoch bigint not null default 1,
  created_at timestamptz not null default now()
);
insert into installation default values;

create table account (
  id bigint generated always as identity primary key,
  name text not null unique,
  plan text not null default 'enterprise' check (plan in ('community', 'pro', 'enterprise')),
  timezone text not null default 'UTC',
  created_at timestamptz not null default now()
);

create table account_user (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  email text not null,
  handle text,
  role text not null default 'member' check (role in ('admin', 'maintainer', 'member')),
  is_service boolean not null default false,
  created_at timestamptz not null default now(),
  unique (account_id, id),
  unique (account_id, email),
  unique (account_id, handle)
);

create table api_token (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  kind text not null check (kind in ('account', 'user')),
  name text not null,
  -- First 12 random characters: finds the row, proves nothing.
  lookup text not null unique,
  -- HMAC of the whole token under the server's pepper.
  token_hmac bytea not null,
  scopes text[] not null,
  signs_webhooks boolean not null default false,
  -- SHA-256 of the token, encrypted: the key webhooks are signed with (interface 5). Account tokens only.
  signing_key bytea,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, id),
  foreign key (account_id, user_id) references account_user (account_id, id),
  check (not signs_webhooks or kind = 'account')
);
create unique index api_token_signing on api_token (account_id) where signs_webhooks;

create table repository (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  owner text not null,
  name text not null,
  host text not null check (host in ('local', 'github')),
  default_branch text not null default 'main',
  active boolean not null default true,
  paused boolean not null default false,
  configuration_yaml text not null,
  configuration_hash text not null,
  configuration_blob text,
  created_at timestamptz not null default now(),
  unique (account_id, id),
  unique (account_id, owner, name)
);

create table configuration_change (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  yaml text not null,
  diff text not null,
  email text,
  gh_username text,
  commit_sha text,
  modified_at timestamptz not null,
  unique (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index configuration_change_newest on configuration_change (account_id, repository_id, id desc);

-- One per (repository, base branch): the lock of everything the planner decides on.
create table queue (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  base_branch text not null,
  -- Bumped by whoever changes what the planner decides on; planned_version follows when a plan was made of it.
  version bigint not null default 1,
  planned_version bigint not null default 0,
  planner_version integer not null default 1,
  next_look_at timestamptz,
  halted_reason text,
  halted_at timestamptz,
  -- Pull requests queued, and those tagged: changed only by the function that writes a status.
  waiting integer not null default 0 check (waiting >= 0),
  tagged integer not null default 0 check (tagged >= 0),
  base_tip text,
  base_tree text,
  host_required_checks text[] not null default '{}',
  -- First-parent commit at which management of this branch began: verify walks from here.
  managed_from text,
  next_position bigint not null default 1,
  next_rank bigint not null default 1,
  created_at timestamptz not null default now(),
  unique (account_id, id),
  unique (account_id, repository_id, base_branch),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index queue_due on queue (id) where version > planned_version;
create index queue_next_look on queue (next_look_at) where next_look_at is not null;

create table pull_request (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  queue_id bigint,
  number integer not null,
  title text not null,
  body text not null default '',
  author text not null,
  head_branch text not null,
  base_branch text not null,
  head_sha text not null,
  -- Name and address on its commits: the author of its own commit on the base.
  author_name text not null,
  author_email text not null,
  draft boolean not null default false,
  labels text[] not null default '{}',
  approvals integer not null default 0,
  changes_requested boolean not null default false,
  unresolved_conversations integer not null default 0,
  url text not null,
  status text not null default 'open'
    check (status in ('open', 'pending', 'queued', 'tagged', 'blocked', 'merged', 'closed')),
  status_code integer,
  status_text text,
  failed_checks text[] not null default '{}',
  skip_line boolean not null default false,
  skip_line_reason text,
  skip_validation boolean not null default false,
  requested_by text,
  affected_targets text[],
  merge_title text,
  merge_body text,
  -- Asked to merge and not answered for good: pending ones are looked at again when a fact changes.
  asked_at timestamptz,
  asked_by text,
  -- Place in line while queued or tagged; lower is earlier.
  rank bigint,
  queued_at timestamptz,
  preconditions_held_at timestamptz,
  top_announced boolean not null default false,
  requeue_attempts integer not null default 0,
  sync_count integer not null default 0,
  bisection_group text,
  bisection_max integer,
  conflict_parent text,
  conflict_after text[],
  merge_commit_sha text,
  own_commit_sha text,
  merged_by_queue boolean,
  created_at timestamptz not null,
  updated_at timestamptz not null default now(),
  merged_at timestamptz,
  closed_at timestamptz,
  unique (account_id, id),
  unique (account_id, repository_id, number),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, queue_id) references queue (account_id, id),
  check ((status in ('queued', 'tagged')) = (rank is not null))
);
create index pull_request_line on pull_request (account_id, queue_id, rank) where status in ('queued', 'tagged');
create index pull_request_pending on pull_request (account_id, queue_id) where status = 'pending';
create index pull_request_head on pull_request (account_id, repository_id, head_branch, id desc);
create index pull_request_head_sha on pull_request (account_id, repository_id, head_sha);
create index pull_request_newest on pull_request (account_id, repository_id, id desc);

-- A batch never changes members, parent or commit: a reset makes a new one. `commit` and `tree` are written once.
create table batch (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  repository_id bigint not null,
  position bigint not null,
  cause text not null check (cause in ('new', 'optimistic', 'bisect', 'probe', 'retry')),
  mode text not null check (mode in ('serial', 'parallel')),
  state text not null default 'making'
    check (state in ('making', 'building', 'landing', 'landed', 'failed', 'bisected', 'superseded')),
  parent_batch_id bigint,
  parent_commit text not null,
  base_commit text not null,
  strategy text not null,
  batch_commit text not null,
  build_keys_hash text not null,
  group_message text not null,
  commit text,
  tree text,
  tested_commit text,
  reset_code integer,
  caused_by bigint,
  ended_reason text,
  created_at timestamptz not null,
  build_started_at timestamptz,
  ended_at timestamptz,
  -- The branch and the bot pull request are gone again.
  cleaned_up_at timestamptz,
  unique (account_id, id),
  foreign key (account_id, queue_id) references queue (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index batch_live on batch (account_id, queue_id, position) where state in ('making', 'building', 'landing');
create index batch_newest on batch (account_id, queue_id, id desc);
create index batch_unclean on batch (account_id, queue_id)
  where state in ('landed', 'failed', 'bisected', 'superseded') and cleaned_up_at is null;

create table batch_member (
  account_id bigint not null,
  batch_id bigint not null,
  pull_request_id bigint not null,
  ordinal integer not null,
  pinned_head text not null,
  message text not null,
  author_name text not null,
  author_email text not null,
  own_commit text,
  primary key (account_id, batch_id, ordinal),
  unique (account_id, batch_id, pull_request_id),
  foreign key (account_id, batch_id) references batch (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index batch_member_pull_request on batch_member (account_id, pull_request_id, batch_id desc);

create table bot_pull_request (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  batch_id bigint not null,
  number integer not null,
  url text not null,
  branch text not null,
  target_branch text not null,
  head_commit_sha text not null,
  pre_batch_sha text not null,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  unique (account_id, id),
  unique (account_id, batch_id),
  unique (account_id, repository_id, number),
  foreign key (account_id, batch_id) references batch (account_id, id)
);

-- merge(parent, heads in order): true for ever. `conflict_at` is -1 when it merged to `tree`.
create table merge_result (
  account_id bigint not null,
  repository_id bigint not null,
  parent text not null,
  heads text[] not null,
  tree text,
  conflict_at integer not null,
  primary key (account_id, repository_id, parent, heads),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- CI's facts about one commit. The verdict is derived by the domain under the rules of the moment.
create table build (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  tree text not null,
  base_commit text not null,
  complete boolean not null default false,
  canceled boolean not null default false,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, repository_id, commit),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index build_tree on build (account_id, repository_id, tree);

create table check_result (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  name text not null,
  attempt integer not null,
  conclusion text not null,
  url text,
  summary text,
  started_at timestamptz,
  completed_at timestamptz,
  primary key (account_id, repository_id, commit, name, attempt),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- An effect on a host: written before it is tried, concluded by what the host says afterwards (ADR 0003).
create table intent (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  batch_id bigint,
  pull_request_id bigint,
  -- Builds need no intent: a batch row says by its own state what is still to be made (ADR 0003).
  kind text not null check (kind in ('land', 'conclude_pull_request', 'comment')),
  -- What makes it one of its kind: a second one with the same key is the same intent.
  key text not null,
  state text not null default 'planned' check (state in ('planned', 'begun', 'done', 'failed', 'void')),
  attempt integer not null default 0,
  payload jsonb not null default '{}',
  outcome jsonb,
  planned_at timestamptz not null,
  begun_at timestamptz,
  concluded_at timestamptz,
  unique (account_id, id),
  unique (account_id, queue_id, kind, key),
  foreign key (account_id, queue_id) references queue (account_id, id)
);
create unique index intent_one_begun_landing on intent (account_id, queue_id) where kind = 'land' and state = 'begun';
create index intent_open on intent (account_id, queue_id, id) where state in ('planned', 'begun');

create table landing (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  repository_id bigint not null,
  batch_id bigint not null,
  commit text not null,
  first_parent text not null,
  tree text not null,
  grade text not null check (grade in ('exact', 'same_tree', 'composed', 'host_merged', 'unvalidated', 'external')),
  landed_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, batch_id),
  unique (account_id, repository_id, commit),
  foreign key (account_id, queue_id) references queue (account_id, id),
  foreign key (account_id, batch_id) references batch (account_id, id)
);
create index landing_newest on landing (account_id, queue_id, id desc);

create table landed_member (
  account_id bigint not null,
  repository_id bigint not null,
  pull_request_id bigint not null,
  landing_id bigint not null,
  pinned_head text not null,
  own_commit text not null,
  primary key (account_id, repository_id, pull_request_id),
  foreign key (account_id, landing_id) references landing (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);

create table proof (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  landing_id bigint not null,
  previous_id bigint,
  body jsonb not null,
  -- SHA-256 over the canonical body and the previous proof's digest.
  digest text not null,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, landing_id),
  foreign key (account_id, landing_id) references landing (account_id, id)
);
create index proof_newest on proof (account_id, queue_id, id desc);

-- `id` is the order of writing, taken under the subject's lock, and never shown; `position` is given by the
-- sequencer and is what cursors carry (ADR 0005).
create table event (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  position bigint,
  repository_id bigint,
  queue_id bigint,
  pull_request_id bigint,
  batch_id bigint,
  action text not null,
  payload jsonb not null default '{}',
  actor text,
  at timestamptz not null
);
create index event_unpositioned on event (id) where position is null;
create unique index event_position on event (account_id, position) where position is not null;
create index event_pull_request on event (account_id, pull_request_id, id) where pull_request_id is not null;

create table event_head (
  account_id bigint primary key references account,
  position bigint not null default 0
);

create table idempotency_key (
  account_id bigint not null references account,
  operation text not null,
  key text not null,
  request_digest text not null,
  status integer,
  headers jsonb,
  body text,
  created_at timestamptz not null default now(),
  primary key (account_id, operation, key)
);

create table user_action (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  action text not null,
  actor text not null,
  entity text not null,
  target text,
  at timestamptz not null,
  unique (account_id, id)
);

-- The local code host's own records: what GitHub would keep on its side. Written by src/hosts/local alone.
create table local_repository (
  account_id bigint not null,
  repository_id bigint primary key,
  next_number integer not null default 1,
  foreign key (account_id, repository_id) references repository (account_id, id)
);

create table local_pull_request (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  title text not null,
  body text not null,
  author text not null,
  head_branch text not null,
  base_branch text not null,
  -- Last head seen; kept when the branch is deleted or the pull request ends.
  head_sha text not null,
  state text not null default 'open' check (state in ('open', 'closed', 'merged')),
  draft boolean not null default false,
  labels text[] not null default '{}',
  created_at timestamptz not null,
  merged_at timestamptz,
  merge_commit_sha text,
  primary key (account_id, repository_id, number),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index local_pull_request_open on local_pull_request (account_id, repository_id, head_branch) where state = 'open';

create table local_review (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  reviewer text not null,
  verdict text not null check (verdict in ('approved', 'changes_requested')),
  at timestamptz not null,
  primary key (account_id, repository_id, number, reviewer),
  foreign key (account_id, repository_id, number) references local_pull_request (account_id, repository_id, number)
);

create table local_comment (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  key text not null,
  author text not null,
  body text not null,
  created_at timestamptz not null,
  edited_at timestamptz,
  primary key (account_id, repository_id, number, key),
  foreign key (account_id, repository_id, number) references local_pull_request (account_id, repository_id, number)
);

create table local_check_run (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  commit text not null,
  ref text not null,
  name text not null,
  attempt integer not null,
  command text not null,
  timeout_sec integer not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'completed')),
  conclusion text,
  summary text,
  priority smallint not null default 0,
  lease_owner text,
  lease_until timestamptz,
  cancel_requested boolean not null default false,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  unique (account_id, id),
  unique (account_id, repository_id, commit, name, attempt),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index local_check_run_waiting on local_check_run (priority desc, id) where state <> 'completed';

-- Row-level security. The sub-select is evaluated once per statement; `nullif` because a local setting reads ''
-- after its transaction.
do $$
declare t record;
begin
  for t in
    select c.relname, (c.relname = 'account') as is_account
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    where c.relkind = 'r' and exists (
      select from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
        and (a.attname = 'account_id' or c.relname = 'account'))
  loop
    execute format('alter table %I enable row level security', t.relname);
    execute format('alter table %I force row level security', t.relname);
    execute format(
      'create policy tenant on %I to interlock_app using (%I = (select nullif(current_setting(''app.account'', true), '''')::bigint)) with check (%I = (select nullif(current_setting(''app.account'', true), '''')::bigint))',
      t.relname, case when t.is_account then 'id' else 'account_id' end, case when t.is_account then 'id' else 'account_id' end);
    execute format('create policy system on %I to interlock_system using (true) with check (true)', t.relname);
    execute format('grant select, insert, update, delete on %I to interlock_app, interlock_system', t.relname);
  end loop;
end $$;
grant select on installation to interlock_app;
grant select, update on installation to interlock_system;
grant usage on schema public to interlock_app, interlock_system;
