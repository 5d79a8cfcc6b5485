-- What 0001 did for its own tables, for every table that has come since: row-level security by account, and the grants.
-- A migration that makes tables ends with `select guard_new_tables();`.
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
