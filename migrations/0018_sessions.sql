-- Sessions of browsers, the one-time links that begin them, and users who are people of GitHub (ADR 0077).

-- GitHub's id of a person, which stays when the handle changes. Ids of two servers of GitHub may be equal.
alter table account_user add column github_server text;
alter table account_user add column github_user_id text;
-- `github`: the role follows what the person may do at GitHub. `account`: an admin of the account chose the role.
alter table account_user add column role_from text not null default 'account' check (role_from in ('account', 'github'));
alter table account_user add check ((github_server is null) = (github_user_id is null));
create unique index account_user_github on account_user (account_id, github_server, github_user_id);

create table user_session (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  -- HMAC of the cookie under the server's pepper.
  digest bytea not null unique,
  scopes text[] not null,
  -- The token that began the session, which ends with it. Null: the person signed in at GitHub.
  token_id bigint,
  started_at timestamptz not null,
  -- To the minute. A session ends when it was not used for twelve hours.
  used_at timestamptz not null,
  ended_at timestamptz,
  unique (account_id, id),
  foreign key (account_id, user_id) references account_user (account_id, id),
  foreign key (account_id, token_id) references api_token (account_id, id)
);
create index user_session_user on user_session (account_id, user_id);
-- Old sessions of all accounts are removed by their age.
create index user_session_started on user_session (started_at);

create table sign_in_link (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  -- HMAC of the secret in the link under the server's pepper.
  digest bytea not null unique,
  token_id bigint not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  unique (account_id, id),
  foreign key (account_id, token_id) references api_token (account_id, id)
);
create index sign_in_link_expires on sign_in_link (expires_at);

select guard_new_tables();
