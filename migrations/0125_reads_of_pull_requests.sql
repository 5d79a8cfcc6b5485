-- Phase: expand
-- When the first read of the pull request at its host began, or a later read without which a build could not be made.
-- Null: an earlier version made the row, and no build has needed a read since.
alter table pull_request add column read_at timestamptz;

-- A read alone is no new version of the pull request in its history.
create or replace function keep_pull_request_past() returns trigger language plpgsql as $$
declare
  before pull_request := old;
  after pull_request := new;
begin
  before.title := ''; before.body := ''; before.merge_title := null; before.merge_body := null;
  before.affected_targets := null; before.awaited := null; before.updated_at := null; before.top_announced := false;
  before.notify_at := null; before.notification_version := 0; before.has_status_comment := false; before.status_check := null;
  before.read_at := null;
  after.title := ''; after.body := ''; after.merge_title := null; after.merge_body := null;
  after.affected_targets := null; after.awaited := null; after.updated_at := null; after.top_announced := false;
  after.notify_at := null; after.notification_version := 0; after.has_status_comment := false; after.status_check := null;
  after.read_at := null;
  after.version_since := old.version_since;
  if before is not distinct from after then return new; end if;
  new.version_since := clock_timestamp();
  insert into pull_request_past (account_id, pull_request_id, queue_id, is_in_line, since, until_at, facts)
  values (old.account_id, old.id, old.queue_id, old.status in ('queued', 'tagged'), old.version_since, new.version_since, to_jsonb(before));
  return new;
end $$;
