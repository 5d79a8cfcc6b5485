-- Links that show the queue of one base branch to visitors without a session: on a screen, or as a badge (ADR 0085).
create table embed_link (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  -- HMAC of the key in the link under the server's pepper.
  digest bytea not null unique,
  repository_id bigint not null,
  base_branch text not null,
  -- The user who made the link. Visitors read as this user, with the scope queue:read alone.
  user_id bigint not null,
  -- The token that made the link, which ends with it. Null: the user signed in at GitHub.
  token_id bigint,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- To the minute. Null: nobody has opened it.
  used_at timestamptz,
  unique (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, user_id) references account_user (account_id, id),
  foreign key (account_id, token_id) references api_token (account_id, id)
);
create index embed_link_repository on embed_link (account_id, repository_id, id desc);

select guard_new_tables();
