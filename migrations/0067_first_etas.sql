-- Phase: expand
-- The first estimate of its landing that was given for a pull request after it had entered the line. Analytics compare
-- it with the landing.

create table first_eta (
  account_id bigint not null references account,
  repository_id bigint not null,
  pull_request_id bigint not null,
  -- When the pull request entered the line, as its row said then.
  queued_at timestamptz not null,
  -- When the estimate was made.
  estimated_at timestamptz not null,
  p50 timestamptz not null,
  p90 timestamptz not null,
  primary key (account_id, pull_request_id, queued_at),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);

select guard_new_tables();
