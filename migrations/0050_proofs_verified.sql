-- Phase: expand
-- When the proofs of the queue were last derived again by `npm run verify`, and how many statements did not hold. Null:
-- never.
alter table queue
  add column proofs_verified_at timestamptz,
  add column proofs_failed integer;
