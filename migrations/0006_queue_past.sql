-- What pull requests and queues were before: each version with the time it stood, so that explanations can answer for a
-- past moment (ADR 0025). The log of events says what was decided; these tables say what was known.
-- Triggers keep them by the database's own clock: under the lock of the row it never goes back, and no writer can forget
-- to keep a version.

create table pull_request_past (
  account_id bigint not null references account,
  id bigint generated always as identity,
  pull_request_id bigint not null,
  queue_id bigint,
  is_in_line boolean not null,
  since timestamptz not null,
  until_at timestamptz not null,
  -- The row, without the columns that no explanation reads.
  facts jsonb not null,
  primary key (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index pull_request_past_of on pull_request_past (account_id, pull_request_id, until_at);
create index pull_request_past_line on pull_request_past (account_id, queue_id, until_at) where is_in_line;
create index pull_request_past_oldest on pull_request_past (until_at);

create function keep_pull_request_past() returns trigger language plpgsql as $$
declare
  before pull_request := old;
  after pull_request := new;
begin
  before.title := ''; before.body := ''; before.merge_title := null; before.merge_body := null;
  before.affected_targets := null; before.awaited := null; before.updated_at := null; before.top_announced := false;
  before.notify_at := null; before.notification_version := 0; before.has_status_comment := false; before.status_check := null;
  after.title := ''; after.body := ''; after.merge_title := null; after.merge_body := null;
  after.affected_targets := null; after.awaited := null; after.updated_at := null; after.top_announced := false;
  after.notify_at := null; after.notification_version := 0; after.has_status_comment := false; after.status_check := null;
  after.version_since := old.version_since;
  if before is not distinct from after then return new; end if;
  new.version_since := clock_timestamp();
  insert into pull_request_past (account_id, pull_request_id, queue_id, is_in_line, since, until_at, facts)
  values (old.account_id, old.id, old.queue_id, old.status in ('queued', 'tagged'), old.version_since, new.version_since, to_jsonb(before));
  return new;
end $$;
create trigger keep_past before update on pull_request for each row execute function keep_pull_request_past();

-- The affected targets of a pull request, each version until the next one was reported.
create table pull_request_targets_past (
  account_id bigint not null references account,
  id bigint generated always as identity,
  pull_request_id bigint not null,
  until_at timestamptz not null,
  targets text[],
  primary key (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index pull_request_targets_past_of on pull_request_targets_past (account_id, pull_request_id, until_at);
create index pull_request_targets_past_oldest on pull_request_targets_past (until_at);

create function keep_pull_request_targets_past() returns trigger language plpgsql as $$
begin
  if old.affected_targets is not distinct from new.affected_targets then return new; end if;
  insert into pull_request_targets_past (account_id, pull_request_id, until_at, targets)
  values (old.account_id, old.id, clock_timestamp(), old.affected_targets);
  return new;
end $$;
create trigger keep_targets_past after update of affected_targets on pull_request
  for each row execute function keep_pull_request_targets_past();

create table queue_past (
  account_id bigint not null references account,
  id bigint generated always as identity,
  queue_id bigint not null,
  since timestamptz not null,
  until_at timestamptz not null,
  base_tip text,
  base_tree text,
  host_required_checks text[] not null,
  halted_reason text,
  halted_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, queue_id) references queue (account_id, id)
);
create index queue_past_of on queue_past (account_id, queue_id, until_at);
create index queue_past_oldest on queue_past (until_at);

create function keep_queue_past() returns trigger language plpgsql as $$
begin
  new.version_since := clock_timestamp();
  insert into queue_past (account_id, queue_id, since, until_at, base_tip, base_tree, host_required_checks, halted_reason, halted_at)
  values (old.account_id, old.id, old.version_since, new.version_since, old.base_tip, old.base_tree, old.host_required_checks, old.halted_reason, old.halted_at);
  return new;
end $$;
create trigger keep_past before update on queue for each row
  when ((old.base_tip, old.base_tree, old.host_required_checks, old.halted_reason) is distinct from (new.base_tip, new.base_tree, new.host_required_checks, new.halted_reason))
  execute function keep_queue_past();

select guard_new_tables();
