-- Phase: expand
-- Until when the rules count that were read from the code host of the queue. Null: they are read at the next look.
alter table queue add column host_rules_until timestamptz;

-- A host reports that rules of its base branches changed.
alter table host_hint drop constraint host_hint_kind_check;
alter table host_hint add constraint host_hint_kind_check check (kind in ('push', 'pull_request', 'comment', 'checks', 'rules'));
