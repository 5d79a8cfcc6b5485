-- Users come and go: one who was removed keeps the row, so that what tokens and the log refer to stays known.
alter table account_user add column removed_at timestamptz;
create unique index account_user_email on account_user (account_id, lower(email));
create unique index account_user_handle on account_user (account_id, lower(handle));

-- A token made by one that may not administer the account ends with it.
alter table api_token
  add column ends_with bigint,
  add foreign key (account_id, ends_with) references api_token (account_id, id);
create index api_token_ends_with on api_token (account_id, ends_with) where ends_with is not null;
create index api_token_user on api_token (account_id, user_id, id);

-- `@org/slug`, as the configuration and the code host address it.
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

-- Who may skip the line or validation in a repository, beside admins: a user, or everybody in a team.
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
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, user_id) references account_user (account_id, id),
  foreign key (account_id, team_id) references account_team (account_id, id) on delete cascade,
  check (num_nonnulls(user_id, team_id) = 1)
);
create index permission_grant_user on permission_grant (account_id, user_id) where user_id is not null;
create index permission_grant_team on permission_grant (account_id, team_id) where team_id is not null;

create index user_action_entity on user_action (account_id, entity, id desc);
create index user_action_action on user_action (account_id, action, id desc);

select guard_new_tables();
