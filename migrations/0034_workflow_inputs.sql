-- What a workflow that was asked for by name is given.
alter table local_check_run add column inputs jsonb not null default '{}';
