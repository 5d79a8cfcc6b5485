-- Phase: expand
-- When a pull request was opened at its host, or last reopened there, as far as Interlock knows. A later time at the host
-- says that somebody closed and reopened the pull request. Rows from before this migration count from now.
alter table pull_request add column last_opened_at timestamptz not null default now();
-- When somebody last reopened a pull request of the local host. Null: nobody has.
alter table local_pull_request add column reopened_at timestamptz;
