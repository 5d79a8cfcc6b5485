-- Webhooks out (interface 6): who is told of what, what is on its way, and what was tried.

-- The account token that signs next, and the one that signed before (interface 5). Which one signs now stands on
-- api_token.signs_webhooks.
create table webhook_signing (
  account_id bigint primary key references account,
  next_token_id bigint,
  promote_at timestamptz,
  previous_token_id bigint,
  previous_until timestamptz,
  foreign key (account_id, next_token_id) references api_token (account_id, id),
  foreign key (account_id, previous_token_id) references api_token (account_id, id),
  check ((next_token_id is null) = (promote_at is null)),
  check ((previous_token_id is null) = (previous_until is null))
);

create table webhook_endpoint (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  url text not null,
  -- Names of actions, or `*` alone for all there are and will be.
  actions text[] not null,
  enabled boolean not null default true,
  -- Why it gets nothing: somebody's wish, a 410, or five days without a success. Null while it is enabled.
  disabled_because text check (disabled_because in ('asked', 'gone', 'failing')),
  disabled_at timestamptz,
  -- Of the first failed attempt since the last success.
  failing_since timestamptz,
  -- A secret of its own, encrypted, in place of the account's token; the one before it is sent beside for a day.
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- Events up to this position are not for it.
  from_position bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its deliveries go with it, later and in pieces.
  deleted_at timestamptz,
  unique (account_id, id)
);
create index webhook_endpoint_live on webhook_endpoint (account_id, id desc) where deleted_at is null;

-- Up to where an account's events were made deliveries. Its lock is what keeps deliveries in the order of the log.
create table webhook_cursor (
  account_id bigint primary key references account,
  position bigint not null
);

create table webhook_delivery (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  endpoint_id bigint not null,
  -- What receivers know it by: the same over all attempts, another one in every epoch.
  message_id text not null,
  action text not null,
  -- What must arrive in order among first attempts: a pull request, a batch, a repository.
  lane text not null,
  -- The very text that is sent and signed.
  body text not null,
  -- pending: to be tried at once by the relay; retrying: its workflow waits for next_attempt_at.
  state text not null default 'pending' check (state in ('pending', 'retrying', 'succeeded', 'failed', 'canceled')),
  attempts integer not null default 0,
  -- Failures since it was last sent anew: what the schedule counts.
  failures integer not null default 0,
  next_attempt_at timestamptz,
  -- Somebody is at it until then. One who dies leaves an attempt without an outcome, and the next one counts on.
  leased_until timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (account_id, id),
  unique (account_id, endpoint_id, message_id),
  foreign key (account_id, endpoint_id) references webhook_endpoint (account_id, id) on delete cascade
);
create index webhook_delivery_newest on webhook_delivery (account_id, endpoint_id, id desc);
create index webhook_delivery_pending on webhook_delivery (account_id, endpoint_id, id) where state = 'pending';
create index webhook_delivery_lane on webhook_delivery (account_id, endpoint_id, lane, id) where state = 'pending';
create index webhook_delivery_due on webhook_delivery (next_attempt_at) where state = 'retrying';
create index webhook_delivery_old on webhook_delivery (created_at);

create table webhook_attempt (
  account_id bigint not null,
  delivery_id bigint not null,
  number integer not null,
  started_at timestamptz not null,
  -- All of these are null while it is under way, and of one whose sender died.
  duration_ms integer,
  request_headers jsonb,
  response_status integer,
  response_headers jsonb,
  response_body text,
  error text,
  primary key (account_id, delivery_id, number),
  foreign key (account_id, delivery_id) references webhook_delivery (account_id, id) on delete cascade
);

select guard_new_tables();
