-- Builds that are no chain: a bet is its members on top of pull requests it assumes to land before them, and a landing may
-- rest on the builds of its parts.
alter table batch drop constraint batch_beside_check;
alter table batch add constraint batch_beside_check check (beside in ('part', 'question', 'bet'));
alter table batch
  -- Commits of the builds that justify it, where no build of its own tree does.
  add column rests_on text[] not null default '{}',
  -- What its members were put on. Null: its parent, or it is not made yet.
  add column pre_batch_commit text,
  -- Digest of its base and of all that was put on it, in order: who needs just that begins with this commit.
  add column content text;
create index batch_content on batch (account_id, queue_id, content) where content is not null;

create table batch_assumption (
  account_id bigint not null,
  batch_id bigint not null,
  ordinal integer not null,
  pull_request_id bigint not null,
  pinned_head text not null,
  -- As in batch_member: how its commit would be made.
  strategy text not null,
  below_head text,
  joins_next boolean not null default false,
  primary key (account_id, batch_id, ordinal),
  unique (account_id, batch_id, pull_request_id),
  foreign key (account_id, batch_id) references batch (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);

-- What it affected when it landed. Null: not known, or targets were not used.
alter table landed_member add column targets text[];
create index landed_member_landing on landed_member (account_id, landing_id);

-- What a pull request was said to affect, until something else was said.
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

-- How often pull requests of an author, or of all, pass is read from how the last ones ended.
create index event_ends on event (account_id, repository_id, id) where action in ('merged', 'blocked');

select guard_new_tables();
