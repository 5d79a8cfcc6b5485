-- Phase: expand
-- When the newest event happened of which a new message may tell. It is known only if `news_version` is `version`.
-- Otherwise an earlier version of Interlock has read a newer event, and has written neither of these columns.
alter table slack_message add column news_at timestamptz, add column news_version bigint not null default 0;
create index slack_message_problem on slack_message (account_id, channel) where problem is not null;
