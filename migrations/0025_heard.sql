-- When a check's existence and its end were heard of here: what is asked of a moment is answered by what was known then,
-- and not by what the host dated earlier and told later. Null in rows of before: the host's dates stand in.
alter table check_result
  add column heard_at timestamptz,
  add column end_heard_at timestamptz;
