-- Phase: expand
-- For pages of the dashboard that are live.

-- Changes of webhook deliveries are notified while somebody looks at them. A notification serialises the commits of the
-- database, so that nothing is notified otherwise.

create table webhook_watch (
  account_id bigint primary key references account,
  -- Followers of its deliveries prolong it.
  until_at timestamptz not null
);

create function announce_webhook_delivery() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_watch w where w.account_id = new.account_id and w.until_at > clock_timestamp()) then
    perform pg_notify('webhook_delivery_changed', new.account_id || ':' || new.id);
  end if;
  return null;
end $$;
create trigger announce after insert or update of state, attempts on webhook_delivery
  for each row execute function announce_webhook_delivery();

-- The verifications of a repository, newest first.
create index verification_of_repository on verification (account_id, repository_id, id desc);

select guard_new_tables();
