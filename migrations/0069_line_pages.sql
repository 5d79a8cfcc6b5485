-- Phase: expand
-- A page of the line reads the pull requests that skip the line apart from the others.

create index pull_request_skipping on pull_request (account_id, queue_id, rank) where status in ('queued', 'tagged') and skip_line;
