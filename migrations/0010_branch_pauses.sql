-- Whether the base branches a glob matches are paused. A rule is replaced whole, by a row of its own: the greatest id
-- is the newest rule. Written under the repository's row, which the landing gate takes.
create table branch_pause (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  pattern text not null,
  paused boolean not null,
  paused_message text,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, repository_id, pattern),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

select guard_new_tables();
