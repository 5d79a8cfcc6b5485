-- Phase: expand
-- That a repository or an account was erased, by whom and when: all that stays of it. It refers to no row, because the
-- rows are gone.
create table erasure (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  account_name text not null,
  -- Null, as the name: the whole account.
  repository_id bigint,
  repository text,
  requested_by text,
  requested_at timestamptz not null,
  -- Who is at it, until then. Null: nobody.
  leased_until timestamptz,
  finished_at timestamptz,
  unique (account_id, id)
);
create index erasure_open on erasure (id) where finished_at is null;

select guard_new_tables();
