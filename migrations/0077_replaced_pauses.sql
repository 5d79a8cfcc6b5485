-- Phase: expand
-- The rules of pauses that another rule with the same pattern has replaced. A landing is compared with the rules that
-- were in force when it began, and landings are kept longer than the events about pauses.
create table branch_pause_past (
  account_id bigint not null,
  -- The id that the rule had in branch_pause.
  id bigint not null,
  repository_id bigint not null,
  pattern text not null,
  paused boolean not null,
  created_at timestamptz not null,
  replaced_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index branch_pause_past_of on branch_pause_past (account_id, repository_id, replaced_at);

select guard_new_tables();
