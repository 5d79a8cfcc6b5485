-- Phase: expand
-- The conclusions with which the attempt had ended before, each once. The result of a check run that has ended may be
-- changed at the host, and the proof of a landing names the results of its time.
alter table check_result add column past_conclusions text[] not null default '{}';
