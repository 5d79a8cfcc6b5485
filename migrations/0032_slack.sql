-- Phase: expand
-- Messages in channels of Slack: one for each pull request, deployment and freeze, which is edited as things change.

-- The position up to which an account's events were made news for messages.
create table slack_cursor (
  account_id bigint primary key references account,
  position bigint not null
);

create table slack_message (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  -- As the setting names it.
  channel text not null,
  -- `pull_request:<id>`, `deployment:<id>`, or `freeze:<environment>:<event>`.
  subject text not null,
  -- Counts the news about the subject, and those that the message tells.
  version bigint not null default 1,
  told_version bigint not null default 0,
  -- Digest of what the message says. Null: nothing was posted.
  told_digest text,
  -- Slack's names of the channel and the message. Null: nothing was posted, as far as anybody knows.
  posted_channel text,
  posted_ts text,
  -- Since when a post is under way of which no answer was written.
  posting_since timestamptz,
  leased_until timestamptz,
  next_attempt_at timestamptz not null,
  failures integer not null default 0,
  -- What the last attempt failed with. Null: it succeeded.
  problem text,
  created_at timestamptz not null,
  unique (account_id, channel, subject)
);
create index slack_message_due on slack_message (next_attempt_at) where told_version < version;
create index slack_message_created on slack_message (created_at);

select guard_new_tables();
