-- The comment that cannot be followed at the moment, and since when: comments are followed in order, so it holds up the
-- later ones of its repository, and is passed over after a while.
create table comment_failure (
  account_id bigint not null,
  repository_id bigint not null,
  comment_id text not null,
  tries integer not null,
  first_failed_at timestamptz not null,
  primary key (account_id, repository_id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

select guard_new_tables();
