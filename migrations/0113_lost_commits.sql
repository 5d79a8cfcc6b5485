-- Phase: expand
-- Whether the commit is void because it was lost with its worker. A commit is also void if it conflicts.
alter table runbook_commit add column is_lost boolean not null default false;
