-- Since when the code host has failed a runbook, each time it was asked. Null: it answered the last time.
alter table runbook add column failing_since timestamptz;
