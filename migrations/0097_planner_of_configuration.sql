-- Phase: expand
-- The plannerVersion of the process that saved the configuration. Workers with a lower one may not know its keys, and
-- leave the queues of the repository alone.
alter table repository add column planner_version integer not null default 1;
