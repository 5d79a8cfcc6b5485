-- Phase: expand
-- Simulations of queues that run on behind the request that started them. Their results are kept for a while.

create table simulation (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  base_branch text not null,
  days integer not null,
  -- The configuration that is compared with the present one. Null: only the present one is simulated.
  yaml text,
  state text not null default 'running' check (state in ('running', 'done', 'failed', 'lost')),
  -- From 0 to 1.
  progress double precision not null default 0,
  -- The process that runs it prolongs it. After it, nobody runs it.
  leased_until timestamptz not null,
  -- Of one that is done: the comparisons. Of one that failed: why, in a sentence.
  result jsonb,
  problem text,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create unique index simulation_running on simulation (account_id) where state = 'running';
create index simulation_newest on simulation (account_id, repository_id, id desc);

select guard_new_tables();
