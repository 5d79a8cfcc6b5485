-- The log of events (ADR 0005). Events outlive what they are about, so their subjects are no foreign keys.

-- `id` is the order of writing, taken under the lock of the subject, and never shown. `position` is given by the
-- sequencer, and cursors carry it.
create table event (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  position bigint,
  repository_id bigint,
  queue_id bigint,
  pull_request_id bigint,
  batch_id bigint,
  environment_id bigint,
  candidate_id bigint,
  deployment_id bigint,
  runbook_id bigint,
  verification_id bigint,
  registration_id bigint,
  action text not null,
  payload jsonb not null default '{}',
  actor text,
  at timestamptz not null
);
create index event_unpositioned on event (id) where position is null;
create unique index event_position on event (account_id, position) where position is not null;
create index event_of_repository on event (account_id, repository_id, position desc)
  where position is not null and repository_id is not null;
create index event_pull_request on event (account_id, pull_request_id, id) where pull_request_id is not null;
-- Explanations of a past moment ask who paused and halted. Without this index they would read the log from its
-- beginning.
create index event_gates on event (account_id, repository_id, id) where action in
  ('repository_paused', 'repository_unpaused', 'branches_paused', 'branches_unpaused', 'queue_halted', 'queue_resumed');
-- Success probabilities are counted from how the last pull requests ended.
create index event_ends on event (account_id, repository_id, id) where action in ('merged', 'blocked');

-- The position of the account's newest event.
create table event_head (
  account_id bigint primary key references account,
  position bigint not null default 0
);

select guard_new_tables();
