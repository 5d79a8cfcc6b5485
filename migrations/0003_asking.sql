-- How a pull request is asked for, and what is asked of it: labels, commands in comments, more facts.

-- The kinds of intents are listed once, in code (src/modules/queue/queue.entities.ts): a kind is a word here.
alter table intent drop constraint intent_kind_check;
alter table intent add constraint intent_kind_check check (kind ~ '^[a-z]+(_[a-z]+)*$');

alter table pull_request
  add column owner_review_missing boolean not null default false,
  -- Names of the validations it does not meet, and the digest of the validations they were judged by; '' without any.
  add column failed_validations text[] not null default '{}',
  add column validated_by text not null default '',
  -- Commits of `verified_head` without a verified signature. Null: nobody has asked.
  add column unverified_commits integer,
  add column verified_head text,
  -- Labels on it that the queue put there itself, written before the host is asked to.
  add column queue_labels text[] not null default '{}',
  -- What was said of a head that has not been seen yet (interface 4.3, `update`).
  add column awaited jsonb;

-- Commands in comments, each carried out once. `refusal`: what was answered instead.
create table comment_command (
  account_id bigint not null,
  repository_id bigint not null,
  comment_id text not null,
  ordinal integer not null,
  pull_request_id bigint,
  command text not null,
  author text not null,
  refusal text,
  handled_at timestamptz not null,
  primary key (account_id, repository_id, comment_id, ordinal),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);

-- Up to where the comments of a repository were read.
create table comment_cursor (
  account_id bigint not null,
  repository_id bigint not null,
  cursor text not null,
  primary key (account_id, repository_id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- The local host. Comments by users are read on from the last one seen: `sequence` is given under the repository's row.
alter table local_comment
  add column sequence bigint generated always as identity,
  add column by_user boolean not null default false;
create index local_comment_by_user on local_comment (account_id, repository_id, sequence) where by_user;

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

-- The newest change of each label of a pull request. `by` is null when the queue made it.
create table local_label_change (
  account_id bigint not null,
  repository_id bigint not null,
  number integer not null,
  label text not null,
  present boolean not null,
  by text,
  at timestamptz not null,
  primary key (account_id, repository_id, number, label),
  foreign key (account_id, repository_id, number) references local_pull_request (account_id, repository_id, number)
);

select guard_new_tables();
