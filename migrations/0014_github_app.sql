-- GitHub Apps, and where they are installed. An App belongs to one account and is private: only the owner of the App at
-- GitHub can install it, so that an installation is the account's own.
create table github_app (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  -- GitHub's id of the App.
  app_id text not null,
  slug text not null,
  client_id text not null,
  api_url text not null,
  web_url text not null,
  -- Private key, webhook secret and client secret, sealed.
  sealed bytea not null,
  -- The last part of the address that GitHub sends webhooks to.
  webhook_path text not null unique,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (api_url, app_id)
);

-- A link that an administrator was given, which makes one App. Both secrets are kept as digests.
create table github_app_setup (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  link_digest bytea not null unique,
  -- What GitHub sends back with the code of the new App. Null: the link was not used yet.
  state_digest bytea unique,
  api_url text not null,
  web_url text not null,
  -- The organisation that the App shall belong to. Null: the person who clicks.
  organization text,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table github_installation (
  account_id bigint not null,
  github_app_id bigint not null,
  -- GitHub's id.
  id text not null,
  -- The user or organisation that it was installed for.
  owner text not null,
  suspended_at timestamptz,
  removed_at timestamptz,
  -- Its repositories are to be listed again from then on. Null: they are known.
  sync_at timestamptz,
  primary key (account_id, github_app_id, id),
  foreign key (account_id, github_app_id) references github_app (account_id, id)
);
create index github_installation_sync on github_installation (sync_at) where sync_at is not null;

-- Webhooks that were received, by GitHub's id of the delivery: the same one twice has one effect.
create table host_delivery (
  account_id bigint not null,
  github_app_id bigint not null,
  id text not null,
  event text not null,
  received_at timestamptz not null,
  primary key (account_id, github_app_id, id),
  foreign key (account_id, github_app_id) references github_app (account_id, id)
);
create index host_delivery_age on host_delivery (received_at);

-- GitHub's id of the repository, which stays when it is renamed or transferred, and the installation that has it.
-- Two servers may give two repositories the same id.
alter table repository add column github_id text;
alter table repository add column github_app_id bigint;
alter table repository add column github_installation_id text;
create unique index repository_github_id on repository (account_id, github_app_id, github_id) where github_id is not null and deleted_at is null;

select guard_new_tables();
