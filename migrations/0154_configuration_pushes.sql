-- Who pushed a commit that changes the configuration to a branch of the local host, and whether that token may write
-- configurations (docs/adr/0010). Of a commit that is pushed to a branch twice the first push counts.
create table local_configuration_push (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  ref text not null,
  pushed_by text not null,
  may_configure boolean not null,
  pushed_at timestamptz not null,
  primary key (account_id, repository_id, commit, ref),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
select guard_new_tables();

-- The file on the default branch that was refused last, while none was taken over since. Null: there is none.
alter table repository add column configuration_refusal jsonb;
