-- What a code host that is not ours makes necessary: its rules for base branches, its records that trail its branches, its
-- hints, which have to survive a process, and the order in which repositories are compared with their hosts.

-- What the host demands of the base branch: {"push", "why", "linear", "signed"}. Null: it was not read yet.
alter table queue add column host_rules jsonb;
-- The host takes no requests for this queue's work until then.
alter table queue add column host_wait_until timestamptz;
alter table queue_past add column host_rules jsonb;

create or replace function keep_queue_past() returns trigger language plpgsql as $$
begin
  new.version_since := clock_timestamp();
  insert into queue_past (account_id, queue_id, since, until_at, base_tip, base_tree, host_required_checks, halted_reason, halted_at, host_rules)
  values (old.account_id, old.id, old.version_since, new.version_since, old.base_tip, old.base_tree, old.host_required_checks, old.halted_reason, old.halted_at, old.host_rules);
  return new;
end $$;
drop trigger keep_past on queue;
create trigger keep_past before update on queue for each row
  when ((old.base_tip, old.base_tree, old.host_required_checks, old.halted_reason, old.host_rules) is distinct from (new.base_tip, new.base_tree, new.host_required_checks, new.halted_reason, new.host_rules))
  execute function keep_queue_past();

-- `head_sha` is the tip of the branch, and the host's record of the pull request still shows an older head.
alter table pull_request add column head_unseen boolean not null default false;

-- The commit of the batch is neither at the host nor on this machine any more.
alter table batch add column commit_missing boolean not null default false;

-- The event that started the run, as the host names it. Null: the host has no events.
alter table check_result add column event text;

-- What a host reported: only that something changed. The facts are read from the host. A second hint about the same thing
-- joins the first one.
create table host_hint (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  kind text not null check (kind in ('push', 'pull_request', 'comment', 'checks')),
  -- The ref, the number or the commit. Empty for comments, which are read together.
  subject text not null,
  due_at timestamptz not null,
  -- The process that handles it, and until when nobody else does. A process that dies leaves the hint to the others.
  leased_by text,
  leased_until timestamptz,
  -- The same was reported again while it was handled: handle it once more then.
  again_at timestamptz,
  unique (account_id, repository_id, kind, subject),
  foreign key (account_id, repository_id) references repository (account_id, id) on delete cascade
);
create index host_hint_due on host_hint (due_at);
create index host_hint_leased on host_hint (repository_id, leased_until) where leased_until is not null;

-- When each repository is next compared with its host, and until when a process does it.
create table repository_look (
  account_id bigint not null,
  repository_id bigint not null,
  due_at timestamptz not null,
  leased_until timestamptz,
  primary key (account_id, repository_id),
  foreign key (account_id, repository_id) references repository (account_id, id) on delete cascade
);
create index repository_look_due on repository_look (due_at);

select guard_new_tables();
