-- Phase: expand
-- Processes of an earlier version receive reports that a deployment is in progress, and do not write
-- reported_since_start. A later process would then end the deployment, as if nothing had been reported.
create function note_reported_start() returns trigger language plpgsql as $$
begin
  new.reported_since_start := true;
  return new;
end $$;
create trigger note_reported_start before update of status_at on deployment
  for each row when (
    new.status = 'in_progress' and not new.reported_since_start
    and new.trigger_started_at = old.trigger_started_at and new.status_at > new.trigger_started_at)
  execute function note_reported_start();
