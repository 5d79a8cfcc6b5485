-- Accounts, their users, teams and tokens, what users did, and what requests left behind. Everything an account owns
-- carries `account_id` and leads its unique keys with it (ADR 0004).

create table account (
  id bigint generated always as identity primary key,
  name text not null unique,
  plan text not null default 'enterprise' check (plan in ('community', 'pro', 'enterprise')),
  timezone text not null default 'UTC',
  -- The number of the account's newest runbook. This row is the lock of the numbers.
  runbooks integer not null default 0,
  created_at timestamptz not null default now()
);
-- As `guard_new_tables` does it, but by the account's own id.
alter table account enable row level security;
alter table account force row level security;
create policy tenant on account to interlock_app
  using (id = (select nullif(current_setting('app.account', true), '')::bigint))
  with check (id = (select nullif(current_setting('app.account', true), '')::bigint));
create policy system on account to interlock_system using (true) with check (true);
grant select, insert, update, delete on account to interlock_app, interlock_system;

-- A removed user keeps the row, because tokens and the log refer to it.
create table account_user (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  email text not null,
  handle text,
  role text not null default 'member' check (role in ('admin', 'maintainer', 'member')),
  is_service boolean not null default false,
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  unique (account_id, id),
  unique (account_id, email),
  unique (account_id, handle)
);
create unique index account_user_email on account_user (account_id, lower(email));
create unique index account_user_handle on account_user (account_id, lower(handle));

create table api_token (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  kind text not null check (kind in ('account', 'user')),
  name text not null,
  -- The first 12 random characters: they find the row and prove nothing.
  lookup text not null unique,
  -- HMAC of the whole token under the server's pepper.
  token_hmac bytea not null,
  scopes text[] not null,
  signs_webhooks boolean not null default false,
  -- SHA-256 of the token, encrypted: the key that signs webhooks (interface 5). Account tokens only.
  signing_key bytea,
  -- The token that made this one, which ends with it. Null: a token with the scope `admin` made it.
  ends_with bigint,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, id),
  check (not signs_webhooks or kind = 'account'),
  foreign key (account_id, user_id) references account_user (account_id, id),
  foreign key (account_id, ends_with) references api_token (account_id, id)
);
create unique index api_token_signing on api_token (account_id) where signs_webhooks;
create index api_token_ends_with on api_token (account_id, ends_with) where ends_with is not null;
create index api_token_user on api_token (account_id, user_id, id);

-- `@org/slug`, as the configuration and the code host address a team.
create table account_team (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  org text not null,
  slug text not null,
  name text not null,
  created_at timestamptz not null,
  unique (account_id, id)
);
create unique index account_team_address on account_team (account_id, lower(org), slug);

create table account_team_member (
  account_id bigint not null,
  team_id bigint not null,
  user_id bigint not null,
  created_at timestamptz not null,
  primary key (account_id, team_id, user_id),
  foreign key (account_id, team_id) references account_team (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references account_user (account_id, id)
);
create index account_team_member_user on account_team_member (account_id, user_id);

-- The audit log.
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
-- A page of the log merges the newest actions of each requested entity, with or without one action. Most
-- actions of an account may have the same entity and action. With true statistics PostgreSQL then expects any entity
-- everywhere, walks the log by id alone, and reads all of it where the entity is rare. Given many distinct values, it
-- takes the index of the entity.
alter table user_action alter column entity set (n_distinct = 1000), alter column action set (n_distinct = 1000);
create index user_action_entity on user_action (account_id, entity, id desc);
create index user_action_action on user_action (account_id, action, entity, id desc);

-- The answers to requests with an idempotency key (ADR 0008). A key belongs to the user whose token sent it.
create table idempotency_key (
  account_id bigint not null references account,
  user_id bigint not null,
  operation text not null,
  key text not null,
  request_digest text not null,
  -- The server that answers the first request, by the number of the advisory lock it holds while it lives.
  claimed_by integer not null,
  status integer,
  headers jsonb,
  body text,
  created_at timestamptz not null default now(),
  primary key (account_id, user_id, operation, key),
  foreign key (account_id, user_id) references account_user (account_id, id)
);
-- Old keys of all accounts are removed by their age.
create index idempotency_key_created on idempotency_key (created_at);

-- What an account's requests have cost in all processes, added up now and then (ADR 0029). Unlogged, because losing it
-- in a crash does no harm.
create unlogged table rate_spent (
  account_id bigint primary key references account,
  spent double precision not null
);

select guard_new_tables();
