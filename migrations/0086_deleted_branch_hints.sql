-- Phase: expand
-- A host reports that a branch was deleted, and its last commit. The branch may exist again when its ref is read.
alter table host_hint drop constraint host_hint_kind_check;
alter table host_hint add constraint host_hint_kind_check check (kind in ('push', 'deletion', 'pull_request', 'comment', 'checks', 'rules'));
