-- What the planner's later rules keep: how often a pull request was bisected, and that it was told to be stuck.
alter table pull_request add column bisection_attempts integer not null default 0;
alter table pull_request add column stuck_announced boolean not null default false;

-- The kinds of intents are listed once, in code (src/modules/queue/queue.entities.ts): a kind is a word here.
alter table intent drop constraint intent_kind_check;
alter table intent add constraint intent_kind_check check (kind ~ '^[a-z]+(_[a-z]+)*$');
