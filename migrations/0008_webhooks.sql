-- Webhooks (interface 6): endpoints, deliveries under way, and attempts.

-- The account tokens that sign next and that signed before (interface 5). The token that signs now has
-- `api_token.signs_webhooks`.
create table webhook_signing (
  account_id bigint primary key references account,
  next_token_id bigint,
  promote_at timestamptz,
  previous_token_id bigint,
  previous_until timestamptz,
  check ((next_token_id is null) = (promote_at is null)),
  check ((previous_token_id is null) = (previous_until is null)),
  foreign key (account_id, next_token_id) references api_token (account_id, id),
  foreign key (account_id, previous_token_id) references api_token (account_id, id)
);

create table webhook_endpoint (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  url text not null,
  -- Names of actions, or `*` alone for all present and future actions.
  actions text[] not null,
  enabled boolean not null default true,
  -- `asked`: by a user. `gone`: the endpoint answered 410. `failing`: five days without a success. Null: enabled.
  disabled_because text check (disabled_because in ('asked', 'gone', 'failing')),
  disabled_at timestamptz,
  -- The first failed attempt since the last success.
  failing_since timestamptz,
  -- The endpoint's own secret, encrypted, in place of the account's token. The previous secret signs beside it for a day.
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- The endpoint gets no events up to this position.
  from_position bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its deliveries are removed later, in pieces.
  deleted_at timestamptz,
  unique (account_id, id)
);
create index webhook_endpoint_live on webhook_endpoint (account_id, id desc) where deleted_at is null;

-- The position up to which an account's events were made deliveries. Its lock keeps deliveries in the order of the log.
create table webhook_cursor (
  account_id bigint primary key references account,
  position bigint not null
);

create table webhook_delivery (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  endpoint_id bigint not null,
  -- By this receivers recognise the delivery: the same in all attempts, another one in every epoch.
  message_id text not null,
  action text not null,
  -- First attempts of one lane are made in order. A pull request, a batch or a repository.
  lane text not null,
  -- Other lanes whose earlier deliveries come first: a batch's delivery waits for those of its members.
  waits_for text[] not null default '{}',
  -- The text that is signed and sent.
  body text not null,
  -- `pending`: the relay tries it at once. `retrying`: its workflow waits for `next_attempt_at`.
  state text not null default 'pending' check (state in ('pending', 'retrying', 'succeeded', 'failed', 'canceled')),
  attempts integer not null default 0,
  -- Failures since it was last sent by hand: the back-off counts them.
  failures integer not null default 0,
  next_attempt_at timestamptz,
  -- A sender has it until then. A sender that dies leaves an attempt without an outcome, which is counted all the same.
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
  -- All of these are null while the attempt is under way, and stay null when its sender died.
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
