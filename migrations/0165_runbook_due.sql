-- When what a runbook's agent works on should be over. Null: it works on nothing.
alter table runbook add column due_at timestamptz;
create index runbook_overdue on runbook (due_at) where due_at is not null;
