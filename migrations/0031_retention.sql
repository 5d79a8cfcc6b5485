-- Phase: expand
-- What is old is deleted in small pieces (docs/retention.md), each found by an index.
create index deployment_log_at on deployment_log (at);
create index runbook_log_at on runbook_log (at);
create index runbook_tool_call_ended on runbook_tool_call (ended_at);
create index verification_log_at on verification_log (at);
create index preview_registration_ended on preview_registration (ended_at) where ended_at is not null;
create index merge_result_found on merge_result (found_at);
create index intent_concluded on intent (concluded_at) where state in ('done', 'failed', 'void');

-- Until when each kind must have been looked through to its end. A process that cannot delete leaves an old instant here.
create table retention_due (
  kind text primary key,
  due_at timestamptz not null
);
grant select on retention_due to interlock_app;
grant select, insert, update, delete on retention_due to interlock_system;
