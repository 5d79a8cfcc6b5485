-- How many affected targets an account has stored of pull requests that are not over, so that a bound costs no counting.
create table account_targets (
  account_id bigint primary key references account,
  stored bigint not null default 0
);

create function stored_targets(targets text[], awaited jsonb) returns bigint immutable language sql as $$
  select coalesce(cardinality(targets), 0)
    + case jsonb_typeof(awaited->'affectedTargets') when 'array' then jsonb_array_length(awaited->'affectedTargets') else 0 end
$$;

-- At the commit, when every other lock is held: the account's row is the last one, so nobody waits in a circle.
create function count_stored_targets() returns trigger language plpgsql as $$
declare
  change bigint := stored_targets(new.affected_targets, new.awaited) - stored_targets(old.affected_targets, old.awaited);
  total bigint;
begin
  if change = 0 then return null; end if;
  insert into account_targets as a (account_id, stored) values (new.account_id, greatest(0, change))
  on conflict (account_id) do update set stored = greatest(0, a.stored + change) returning stored into total;
  -- What is above it already may still fall.
  if change > 0 and total > 1000000 then
    raise exception 'account % stores more than 1000000 affected targets', new.account_id
      using errcode = 'check_violation', constraint = 'account_targets_bound';
  end if;
  return null;
end $$;

update pull_request set affected_targets = null, awaited = null
where status in ('merged', 'closed') and (affected_targets is not null or awaited is not null);
insert into account_targets (account_id, stored)
select account_id, sum(stored_targets(affected_targets, awaited)) from pull_request
where affected_targets is not null or awaited is not null group by account_id;

create constraint trigger count_stored_targets after update of affected_targets, awaited on pull_request
  deferrable initially deferred for each row
  when (old.affected_targets is distinct from new.affected_targets or old.awaited is distinct from new.awaited)
  execute function count_stored_targets();

select guard_new_tables();
