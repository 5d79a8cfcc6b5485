-- One retry of a failed check for each commit, for good: what makes it one is this row, not the attempts, which others
-- (a person, the host) may add to as well.
create table check_retry (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  name text not null,
  -- The attempt that failed.
  attempt integer not null,
  state text not null default 'planned' check (state in ('planned', 'started', 'refused')),
  -- What the repository says of this check, as it was at the commit.
  context text not null default '',
  planned_at timestamptz not null,
  started_at timestamptz,
  primary key (account_id, repository_id, commit, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

select guard_new_tables();
