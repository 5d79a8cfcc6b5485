-- Phase: expand
-- When the host last reported that rules of the repository changed. A landing that a rule refused does not halt the queue
-- if this was after the start of the landing, because the rule may be gone. Null: the host never reported a change.
alter table queue add column rules_reported_at timestamptz;
