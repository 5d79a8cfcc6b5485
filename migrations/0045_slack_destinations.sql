-- Phase: expand
-- Where an account's news goes in its own Slack workspace, besides what the installation's variables say.

create table slack_workspace (
  account_id bigint primary key references account,
  -- The bot's token, sealed.
  token bytea not null,
  updated_at timestamptz not null
);

create table slack_destination (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  -- Null: all repositories of the account.
  repository_id bigint,
  kind text not null check (kind in ('channel', 'people', 'webhook')),
  -- Of the kind `channel`.
  channel text,
  -- Of the kind `webhook`: the address, sealed.
  url bytea,
  created_by text not null,
  created_at timestamptz not null,
  check ((kind = 'channel') = (channel is not null)),
  check ((kind = 'webhook') = (url is not null)),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index slack_destination_account on slack_destination (account_id, id);
create unique index slack_destination_once on slack_destination (account_id, coalesce(repository_id, 0), kind, coalesce(channel, ''))
  where kind <> 'webhook';

comment on column slack_message.channel is
  'As the variable names it; or `destination:<id>`; or `person:<destination>:<user>`.';

select guard_new_tables();
