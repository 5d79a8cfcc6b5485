-- Phase: expand
-- The build of a candidate is asked to stop when its repository is erased. A build that is driven from outside is not.
alter table release_candidate
  add column cancel_requested_at timestamptz,
  -- When its provider was asked.
  add column cancel_sent_at timestamptz;
