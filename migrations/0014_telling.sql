-- What is told of a pull request at the host: its status comment, and a check of ours on its head.
alter table pull_request
  -- From when on the host may be told what is new about it. Null: nothing is.
  add column tell_at timestamptz,
  -- Counts what was planned to be told; words of a lower count never replace those of a higher one.
  add column told_version bigint not null default 0,
  -- What stands at the host, and is kept up to date from then on.
  add column has_status_comment boolean not null default false,
  add column status_check jsonb;
create index pull_request_untold on pull_request (account_id, queue_id, tell_at) where tell_at is not null;

-- As before, and nobody explains by what was told either.
create or replace function keep_pull_request_past() returns trigger language plpgsql as $$
declare
  before pull_request := old;
  after pull_request := new;
begin
  before.title := ''; before.body := ''; before.merge_title := null; before.merge_body := null;
  before.affected_targets := null; before.awaited := null; before.updated_at := null; before.top_announced := false;
  before.tell_at := null; before.told_version := 0; before.has_status_comment := false; before.status_check := null;
  after.title := ''; after.body := ''; after.merge_title := null; after.merge_body := null;
  after.affected_targets := null; after.awaited := null; after.updated_at := null; after.top_announced := false;
  after.tell_at := null; after.told_version := 0; after.has_status_comment := false; after.status_check := null;
  after.standing_since := old.standing_since;
  if before is not distinct from after then return new; end if;
  new.standing_since := clock_timestamp();
  insert into pull_request_past (account_id, pull_request_id, queue_id, is_in_line, since, until_at, facts)
  values (old.account_id, old.id, old.queue_id, old.status in ('queued', 'tagged'), old.standing_since, new.standing_since, to_jsonb(before));
  return new;
end $$;

-- The local host.
alter table local_comment add column version bigint not null default 0;

-- Checks that somebody other than CI reports on a commit: shown, and never among what CI says.
create table local_status_check (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  name text not null,
  state text not null check (state in ('pending', 'success', 'failure')),
  title text not null,
  summary text not null,
  url text,
  version bigint not null,
  reported_at timestamptz not null,
  primary key (account_id, repository_id, commit, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

select guard_new_tables();
