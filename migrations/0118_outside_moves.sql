-- Phase: expand
-- When Interlock saw the newest move of the base branch that was not its own landing. Null: it has seen none.
alter table queue add column base_moved_at timestamptz;
