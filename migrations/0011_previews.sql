-- Previews: environments of pull requests, and the verifications that drive them.

-- What a sandbox boots, by the name that configurations use.
create table preview_image (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  name text not null,
  kind text not null check (kind in ('docker', 'directory', 'command')),
  -- An image's reference, a directory of the worker's machine, or a command.
  source text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, name)
);

-- Secrets of the account, sealed for their row alone. Grants say which repositories have them.
create table preview_secret (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  key text not null,
  sealed bytea not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, key)
);

create table preview_secret_grant (
  account_id bigint not null,
  secret_id bigint not null,
  repository_id bigint not null,
  granted_by text not null,
  granted_at timestamptz not null,
  primary key (account_id, secret_id, repository_id),
  foreign key (account_id, secret_id) references preview_secret (account_id, id) on delete cascade,
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- What CI registered (ADR 0041). Only its end changes it. The newest one of a pull request or branch counts.
create table preview_registration (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  name text not null,
  commit text not null,
  url text not null,
  -- At least one of the two; the number wins.
  branch text,
  pr_number integer,
  -- Sealed for the row, and removed at its end. Null: none were given.
  secrets bytea,
  expires_at timestamptz not null,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('deregistered', 'replaced', 'expired')),
  unique (account_id, id),
  check ((ended_at is null) = (end_reason is null)),
  check (ended_at is null or secrets is null),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index preview_registration_of on preview_registration (account_id, repository_id, id desc);
create index preview_registration_active on preview_registration (account_id, repository_id, name, id desc) where ended_at is null;
create index preview_registration_expiry on preview_registration (expires_at) where ended_at is null;

-- One run over the head of a pull request.
create table verification (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  pull_request_id bigint not null,
  head_commit text not null,
  -- From 1 for each commit. Pull requests with one head share its runs, as they share its checks. A late registration or
  -- a request starts another run.
  attempt integer not null,
  cause text not null check (cause in ('head', 'registration', 'asked')),
  status text not null check (status in ('pending', 'waiting', 'booting', 'driving', 'tearing_down', 'passed', 'failed', 'skipped', 'canceled', 'error')),
  -- Every change of the status increments it. Work that began under an older revision is dropped.
  revision bigint not null default 0,
  -- The preview that governs the run, as the configuration has it. Null: none is usable.
  preview jsonb,
  preview_name text,
  -- Judged by the code alone, because no preview came up.
  degraded boolean not null default false,
  -- The verdict that holds once the sandbox is torn down. Null: none yet.
  verdict text check (verdict in ('passed', 'failed', 'error')),
  -- One sentence. Null: nothing to say yet.
  summary text,
  registration_id bigint,
  -- Until when it waits for a registration. Null: it does not wait.
  wait_until timestamptz,
  -- Until when the preview stands. Null: it has no end.
  expires_at timestamptz,
  cancel_requested_at timestamptz,
  -- What the check on the head says. Null: there is no check yet.
  published_check text check (published_check in ('pending', 'success', 'failure', 'cancelled')),
  -- No call to the outside before that. Null: no call is put off.
  call_at timestamptz,
  -- Calls of one kind in a row: the back-off grows by them.
  calls integer not null default 0,
  -- What the last call failed with. Null: it succeeded.
  problem text,
  -- The lease of the sandbox and of what drives it.
  supervised_by text,
  supervised_until timestamptz,
  -- When the relay looks at it although nobody said that it changed, should its workflow be lost.
  next_look_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  unique (account_id, id),
  unique (account_id, repository_id, head_commit, attempt),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id),
  foreign key (account_id, registration_id) references preview_registration (account_id, id)
);
create index verification_of_registration on verification (account_id, registration_id) where registration_id is not null;
create index verification_newest on verification (account_id, pull_request_id, id desc);
create index verification_open on verification (account_id, pull_request_id)
  where status in ('pending', 'waiting', 'booting', 'driving', 'tearing_down');
create index verification_due on verification (next_look_at) where next_look_at is not null;

-- The sandbox of a verification. The row is written before the boot, with the name that the boot will use.
create table preview_sandbox (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  verification_id bigint not null,
  -- Deterministic: `interlock-preview-<account>-<verification>`.
  name text not null,
  kind text not null check (kind in ('docker', 'process')),
  state text not null check (state in ('booting', 'ready', 'ending', 'gone')),
  -- Part of its public address, and not to be guessed.
  slug text not null unique,
  -- The door of its worker, `tcp:<host>:<port>`, through which servers reach it (ADR 0041). Null: not up.
  address text,
  -- The key by which the door knows the sandbox, sealed for the row. Null: not up.
  way_key bytea,
  port integer not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ready_at timestamptz,
  gone_at timestamptz,
  unique (account_id, id),
  unique (account_id, verification_id),
  unique (account_id, name),
  foreign key (account_id, verification_id) references verification (account_id, id) on delete cascade
);
create index preview_sandbox_live on preview_sandbox (expires_at) where state <> 'gone';

-- What was driven, in order.
create table verification_step (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  verification_id bigint not null,
  ordinal integer not null,
  scenario text not null,
  step text not null,
  conclusion text not null check (conclusion in ('passed', 'failed', 'skipped')),
  -- What was seen, without secrets. Null: nothing to add.
  detail text,
  duration_ms integer not null,
  at timestamptz not null,
  unique (account_id, verification_id, ordinal),
  foreign key (account_id, verification_id) references verification (account_id, id) on delete cascade
);

-- What the run wrote, in pieces, oldest first.
create table verification_log (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  verification_id bigint not null,
  text text not null,
  at timestamptz not null,
  foreign key (account_id, verification_id) references verification (account_id, id) on delete cascade
);
create index verification_log_of on verification_log (account_id, verification_id, id);

select guard_new_tables();
