-- Branches kept up: what the queue pushed to heads, automatic updates, backports.

create index intent_pull_request on intent (account_id, pull_request_id) where pull_request_id is not null;

-- Heads this service made of a pull request's `previous` head by bringing `onto` into it, written before the push: by
-- it the push is told from a commit that somebody added.
create table pushed_head (
  account_id bigint not null,
  repository_id bigint not null,
  head text not null,
  previous text not null,
  onto text not null,
  pushed_at timestamptz not null,
  primary key (account_id, repository_id, head),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index pushed_head_previous on pushed_head (account_id, repository_id, previous);

-- How a pull request stood to its base when it was last brought up to date, by whatever cause.
create table branch_update (
  account_id bigint not null,
  pull_request_id bigint not null,
  -- The head that came of it, and the base's commit it contains or could not be brought onto.
  head text not null,
  base text not null,
  -- Automatic updates made so far (auto_update.max_runs_for_update).
  runs integer not null default 0,
  -- Whether the last one was automatic: it counts as under way until the checks of `head` have ended.
  is_automatic boolean not null default false,
  -- The head that could not be brought up to date. Automatic updates wait for another one.
  failed_head text,
  updated_at timestamptz not null,
  primary key (account_id, pull_request_id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
-- True while open pull requests wait for their own checks before they are brought up to date: the end of those wakes it.
alter table queue add column updates_wait boolean not null default false;

-- One per source and target. `waiting`: the source is not merged yet.
create table backport (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  pull_request_id bigint not null,
  target_branch text not null,
  state text not null check (state in ('waiting', 'planned', 'opened', 'conflict', 'refused')),
  -- The commit its branch was made at, written before the push.
  pushed_commit text,
  -- Number of the pull request that was opened.
  number integer,
  -- Why it was refused, or the paths in conflict.
  reason text,
  asked_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, pull_request_id, target_branch),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index backport_waiting on backport (account_id, pull_request_id) where state = 'waiting';

select guard_new_tables();
