-- Phase: expand
-- The host's number of the newest run of the check when the attempt was recorded. Runs may be deleted at the host, and
-- the number of runs then decreases. Null: the host has no such numbers, or an earlier version wrote the row.
alter table check_result add column newest_run bigint;
