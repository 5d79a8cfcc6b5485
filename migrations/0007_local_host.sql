-- The local code host's own records: what GitHub would keep on its side. src/hosts/local alone writes them.

create table local_repository (
  account_id bigint not null,
  repository_id bigint primary key,
  next_number integer not null default 1,
  foreign key (account_id, repository_id) references repository (account_id, id)
);

create table local_pull_request (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  title text not null,
  body text not null,
  author text not null,
  head_branch text not null,
  -- `owner/name` of the fork that has the head branch. Null: the repository itself has it.
  head_fork text,
  base_branch text not null,
  -- The last head seen. It stays when the branch is deleted or the pull request ends.
  head_sha text not null,
  state text not null default 'open' check (state in ('open', 'closed', 'merged')),
  draft boolean not null default false,
  labels text[] not null default '{}',
  created_at timestamptz not null,
  merged_at timestamptz,
  merge_commit_sha text,
  primary key (account_id, repository_id, number),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index local_pull_request_open on local_pull_request (account_id, repository_id, head_branch) where state = 'open';

-- The newest change of each label of a pull request.
create table local_label_change (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  label text not null,
  present boolean not null,
  -- Null: the queue made the change.
  by text,
  at timestamptz not null,
  primary key (account_id, repository_id, number, label),
  foreign key (account_id, repository_id, number) references local_pull_request (account_id, repository_id, number)
);

create table local_review (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  reviewer text not null,
  verdict text not null check (verdict in ('approved', 'changes_requested')),
  at timestamptz not null,
  primary key (account_id, repository_id, number, reviewer),
  foreign key (account_id, repository_id, number) references local_pull_request (account_id, repository_id, number)
);

create table local_comment (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  key text not null,
  -- Comments by users are read in this order. The number is given under the repository's row, so that no lower one
  -- appears later.
  sequence bigint generated always as identity,
  by_user boolean not null default false,
  author text not null,
  body text not null,
  -- Of a comment by the service: a lower version never replaces a higher one.
  version bigint not null default 0,
  created_at timestamptz not null,
  edited_at timestamptz,
  primary key (account_id, repository_id, number, key),
  foreign key (account_id, repository_id, number) references local_pull_request (account_id, repository_id, number)
);
create index local_comment_by_user on local_comment (account_id, repository_id, sequence) where by_user;

-- Conversations of reviews.
create table local_thread (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  id bigint generated always as identity,
  author text not null,
  body text not null,
  opened_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by text,
  primary key (account_id, id),
  foreign key (account_id, repository_id, number) references local_pull_request (account_id, repository_id, number)
);
create index local_thread_pull_request on local_thread (account_id, repository_id, number, id);

-- Who wrote what is on a branch, besides the author of its pull request: none of them approves it.
create table local_branch_author (
  account_id bigint not null,
  repository_id bigint not null,
  branch text not null,
  -- A handle or an address; a person may have both.
  name text not null,
  primary key (account_id, repository_id, branch, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- Who pushed a commit that changes the configuration to a branch, and whether the token may write configurations
-- (ADR 0010). When a commit is pushed to a branch twice, the first push counts.
create table local_configuration_push (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  ref text not null,
  pushed_by text not null,
  may_configure boolean not null,
  pushed_at timestamptz not null,
  primary key (account_id, repository_id, commit, ref),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- Runs of checks, and of workflows on demand. A workflow's run has a dispatch key and never counts as a check.
create table local_check_run (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  commit text not null,
  ref text not null,
  name text not null,
  attempt integer not null,
  dispatch_key text,
  -- What the request for a workflow gave it.
  inputs jsonb not null default '{}',
  command text not null,
  timeout_sec integer not null,
  priority smallint not null default 0,
  state text not null default 'queued' check (state in ('queued', 'running', 'completed')),
  conclusion text,
  summary text,
  lease_owner text,
  lease_until timestamptz,
  cancel_requested boolean not null default false,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  unique (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create unique index local_check_run_attempt on local_check_run (account_id, repository_id, commit, name, attempt)
  where dispatch_key is null;
create unique index local_check_run_dispatch on local_check_run (account_id, repository_id, dispatch_key)
  where dispatch_key is not null;
create index local_check_run_waiting on local_check_run (priority desc, id) where state <> 'completed';

-- Checks that others than CI report on a commit: shown, and never among what CI says.
create table local_status_check (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  name text not null,
  state text not null check (state in ('pending', 'success', 'failure')),
  title text not null,
  summary text not null,
  url text,
  -- A lower version never replaces a higher one.
  version bigint not null,
  reported_at timestamptz not null,
  primary key (account_id, repository_id, commit, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

select guard_new_tables();
