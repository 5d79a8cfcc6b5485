-- What the code host `github` remembers beside GitHub (ADR 0071). src/hosts/github alone reads and writes these rows.

-- Comments and checks that were written once and are edited afterwards. The row is claimed before GitHub is called.
create table host_comment (
  account_id bigint not null,
  repository_id bigint not null,
  -- Number of the pull request.
  subject text not null,
  key text not null,
  -- GitHub's id. Null: the first call has no answer yet.
  github_id text,
  -- The newest version that somebody began to write. A lower one is never started after it.
  version bigint not null,
  -- SHA-256 of the newest words that GitHub has confirmed. Null: the newest ones are not confirmed.
  digest text,
  -- When the first call began, from which on GitHub may have the words.
  created_at timestamptz not null,
  -- Who is writing, and until when the others wait.
  writer uuid,
  writing_until timestamptz,
  primary key (account_id, repository_id, subject, key),
  foreign key (account_id, repository_id) references repository (account_id, id) on delete cascade
);

create table host_check (
  account_id bigint not null,
  repository_id bigint not null,
  -- The commit.
  subject text not null,
  -- The name of the check.
  key text not null,
  github_id text,
  version bigint not null,
  digest text,
  created_at timestamptz not null,
  writer uuid,
  writing_until timestamptz,
  primary key (account_id, repository_id, subject, key),
  foreign key (account_id, repository_id) references repository (account_id, id) on delete cascade
);

-- Workflow runs that were started by name, one for each key.
create table host_run (
  account_id bigint not null,
  repository_id bigint not null,
  key text not null,
  workflow text not null,
  commit text not null,
  -- The branch that was made for the run, and is deleted when the run has ended. Null: there was a branch already.
  own_branch text,
  -- GitHub's id of the run. Null: not known yet.
  run_id text,
  -- When GitHub was asked. Null: it was not.
  asked_at timestamptz,
  writer uuid,
  writing_until timestamptz,
  primary key (account_id, repository_id, key),
  foreign key (account_id, repository_id) references repository (account_id, id) on delete cascade
);
create unique index host_run_id on host_run (account_id, repository_id, run_id);

-- Whose work a branch is, besides the author of its pull request: none of them approves it.
create table host_branch_author (
  account_id bigint not null,
  repository_id bigint not null,
  branch text not null,
  -- A handle or an address.
  name text not null,
  primary key (account_id, repository_id, branch, name),
  foreign key (account_id, repository_id) references repository (account_id, id) on delete cascade
);

-- What an installation of the App may still ask of GitHub. All processes share the row.
create table host_budget (
  account_id bigint not null references account,
  installation_id text not null,
  -- Points per hour of REST and of GraphQL, as GitHub said last. Null: it has not said.
  rest_limit integer,
  rest_left integer,
  rest_resets_at timestamptz,
  graphql_limit integer,
  graphql_left integer,
  graphql_resets_at timestamptz,
  -- Comments, reviews, pull requests and the like, in the minute and the hour that began then.
  minute_at timestamptz not null,
  made_in_minute integer not null default 0,
  hour_at timestamptz not null,
  made_in_hour integer not null default 0,
  -- GitHub asked for a pause. `pause_sec`: how long the last one was, doubled at the next. 0: a call has succeeded since.
  paused_until timestamptz,
  pause_sec integer not null default 0,
  primary key (account_id, installation_id)
);

select guard_new_tables();
