-- Phase: expand
-- Whether a report has said since the start of the deployment that it is in progress. The instants of the start and of
-- the report come from the clocks of two processes.
alter table deployment add column reported_since_start boolean not null default false;
update deployment set reported_since_start = true
 where status = 'in_progress' and trigger_started_at is not null and status_at > trigger_started_at;
