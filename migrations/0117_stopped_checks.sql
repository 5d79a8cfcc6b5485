-- Phase: expand
-- The batch that a user reset, so that Interlock stopped this attempt. If the attempt is canceled, that says nothing
-- about CI. Null: Interlock did not stop the attempt for a user.

alter table check_result add column stopped_batch_id bigint;
