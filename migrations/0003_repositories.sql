-- Repositories, their configuration, who may skip the line, and which base branches are paused.

-- A deleted repository keeps its row, because landings, proofs, events and the audit log refer to it. Its name is free
-- again.
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
  -- The last file on the default branch that was refused, unless a later one was accepted. Null: there is none.
  configuration_refusal jsonb,
  -- When the freezes of base branches change next. Changes before that have been announced by events.
  next_freeze_change_at timestamptz,
  created_at timestamptz not null default now(),
  -- Null where `active` is false: its creation was cut off, and the next request for it finishes the creation.
  deactivated_at timestamptz,
  deleted_at timestamptz,
  -- When its content was removed from the disk and from these tables. Null beside `deleted_at`: that is still to be done.
  removed_at timestamptz,
  unique (account_id, id),
  check (deleted_at is null or not active)
);
create unique index repository_name on repository (account_id, owner, name) where deleted_at is null;
create index repository_freeze_change on repository (next_freeze_change_at) where next_freeze_change_at is not null;
create index repository_to_remove on repository (id) where deleted_at is not null and removed_at is null;

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

-- Who may skip the line or validation in a repository, besides admins: one user, or every member of a team.
create table permission_grant (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  permission text not null check (permission in ('skip_line', 'skip_validation')),
  user_id bigint,
  team_id bigint,
  granted_by text,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, repository_id, permission, user_id),
  unique (account_id, repository_id, permission, team_id),
  check (num_nonnulls(user_id, team_id) = 1),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, user_id) references account_user (account_id, id),
  foreign key (account_id, team_id) references account_team (account_id, id) on delete cascade
);
create index permission_grant_user on permission_grant (account_id, user_id) where user_id is not null;
create index permission_grant_team on permission_grant (account_id, team_id) where team_id is not null;

-- Whether the base branches that a glob matches are paused. A changed rule is a new row, so the greatest id is the newest
-- rule. Written under the repository's row, which the gate of a landing takes too.
create table branch_pause (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  pattern text not null,
  paused boolean not null,
  paused_message text,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, repository_id, pattern),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

select guard_new_tables();
