-- How often others that were ready passed it, as it was in doubt or built aside, since it was queued.
alter table pull_request add column passed_in_doubt integer not null default 0;
