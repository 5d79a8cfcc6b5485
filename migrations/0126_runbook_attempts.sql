-- Phase: expand
-- The `call_at` that a worker wrote when the code host ended an attempt of a runbook's agent, and that attempt was not
-- counted in `calls`. An earlier version writes another `call_at` and counts the attempt. Null: no such failure.
alter table runbook add column uncounted_call_at timestamptz;
