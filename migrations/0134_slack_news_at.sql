-- Phase: expand
-- When the newest event happened of which a new message may tell. Null: an earlier version wrote the row.
alter table slack_message add column news_at timestamptz;
create index slack_message_problem on slack_message (account_id, channel) where problem is not null;
