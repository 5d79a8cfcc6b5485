-- Phase: expand
-- Processes of an earlier version follow a pull request that is closed and reopened, and do not write last_opened_at.
-- A later process would then take the same reopening for another one, and the pull request would leave the line.
create function note_reopening() returns trigger language plpgsql as $$
begin
  new.last_opened_at := greatest(new.last_opened_at, now());
  return new;
end $$;
create trigger note_reopening before update of status on pull_request
  for each row when (old.status = 'closed' and new.status <> 'closed' and new.last_opened_at = old.last_opened_at)
  execute function note_reopening();
