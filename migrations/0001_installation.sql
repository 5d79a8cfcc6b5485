-- What all modules share: the two roles of the service, the guard of tables, and the installation itself.

-- `interlock_app` serves requests and activities of one account; it owns nothing. `interlock_system` works across
-- accounts: the relay, the sequencer, the look-up of tokens. Roles belong to the whole PostgreSQL server, so another
-- installation may have made them already.
do $$ begin
  if not exists (select from pg_roles where rolname = 'interlock_app') then create role interlock_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'interlock_system') then create role interlock_system nologin; end if;
  execute format('grant interlock_app, interlock_system to %I', current_user);
exception when duplicate_object or unique_violation then null;
end $$;
grant usage on schema public to interlock_app, interlock_system;

-- Gives every table with an `account_id` and without a policy its row-level security and its grants (ADR 0004). A
-- migration that creates tables ends with `select guard_new_tables();`.
-- The sub-select of the policy is evaluated once per statement. `nullif`, because a local setting reads '' after its
-- transaction. Text enumerations of guarded tables stay text: the operators of an enum are not leakproof, so their
-- indexes would not be used under row-level security.
create function guard_new_tables() returns void language plpgsql as $$
declare t record;
begin
  for t in
    select c.relname
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    where c.relkind in ('r', 'p')
      and exists (select from pg_attribute a where a.attrelid = c.oid and not a.attisdropped and a.attname = 'account_id')
      and not exists (select from pg_policy p where p.polrelid = c.oid)
  loop
    execute format('alter table %I enable row level security', t.relname);
    execute format('alter table %I force row level security', t.relname);
    execute format(
      'create policy tenant on %I to interlock_app using (account_id = (select nullif(current_setting(''app.account'', true), '''')::bigint)) with check (account_id = (select nullif(current_setting(''app.account'', true), '''')::bigint))',
      t.relname);
    execute format('create policy system on %I to interlock_system using (true) with check (true)', t.relname);
    execute format('grant select, insert, update, delete on %I to interlock_app, interlock_system', t.relname);
  end loop;
end $$;

-- One row.
create table installation (
  id smallint primary key default 1 check (id = 1),
  epoch bigint not null default 1,
  created_at timestamptz not null default now()
);
insert into installation default values;
grant select on installation to interlock_app;
grant select, update on installation to interlock_system;
