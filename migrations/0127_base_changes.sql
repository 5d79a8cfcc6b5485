-- Phase: expand
-- When the base branch of the pull request last changed at the host, by the host's clock. Null: it never changed, the
-- host has no such changes, or an earlier version read the pull request last.
alter table pull_request add column base_changed_at timestamptz;

-- Until when the host may have made workflow runs that tested the head with another base branch. Null: there is no such
-- run.
alter table pull_request add column other_base_until timestamptz;
create index pull_request_other_base on pull_request (account_id, repository_id, head_sha) where other_base_until is not null;

-- Since when changes of the base branch are recorded: since this upgrade, or since the row was made. An earlier version has
-- judged the changes before.
alter table pull_request add column base_followed_since timestamptz not null default now();

-- When the host made the run of the workflow that has the check, by the host's clock. A repeated job keeps the instant of
-- its first run, and the commit that it tests. Null: no workflow has the check, or an earlier version read it.
alter table check_result add column workflow_run_at timestamptz;
