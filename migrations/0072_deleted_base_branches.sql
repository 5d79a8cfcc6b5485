-- Phase: expand
-- The newest landing on the base branch when the branch was last found deleted. A branch that is made again need not
-- contain it and the ones before it.
alter table queue add column last_deleted_landing_id bigint;
