-- Queues: pull requests and what people ask for, batches and their builds, effects on the host, landings and proofs.

-- One for each base branch of a repository: the lock of everything that the planner decides on.
create table queue (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  base_branch text not null,
  -- Every change of what the planner decides on increments it. `planned_version` follows when a plan has read that state.
  version bigint not null default 1,
  planned_version bigint not null default 0,
  planner_version integer not null default 1,
  next_look_at timestamptz,
  -- How many pull requests are queued, and how many are tagged. Only the function that writes statuses changes them.
  waiting integer not null default 0 check (waiting >= 0),
  tagged integer not null default 0 check (tagged >= 0),
  next_position bigint not null default 1,
  next_rank bigint not null default 1,
  base_tip text,
  base_tree text,
  host_required_checks text[] not null default '{}',
  -- The first-parent commit at which management of this branch began: `npm run verify` walks from here.
  managed_from text,
  halted_reason text,
  halted_at timestamptz,
  announced_frozen boolean not null default false,
  -- What status comments said last besides the state of their pull request: why nothing lands, and the ways to ask to
  -- queue. When one of the two changes, the comments that said it are written again.
  notified_hold text,
  notified_ways text,
  -- True while open pull requests wait for the end of their own checks before their update. That end wakes the queue.
  updates_wait boolean not null default false,
  -- Since when the facts in `queue_past` have been as they are.
  version_since timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default now(),
  unique (account_id, id),
  unique (account_id, repository_id, base_branch),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index queue_due on queue (id) where version > planned_version;
create index queue_next_look on queue (next_look_at) where next_look_at is not null;

create table pull_request (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  queue_id bigint,
  number integer not null,

  -- Facts of the code host.
  title text not null,
  body text not null default '',
  author text not null,
  head_branch text not null,
  -- `owner/name` of the fork that has the head branch. Null: the repository itself has it.
  head_fork text,
  base_branch text not null,
  head_sha text not null,
  -- Name and address on its commits: the author of its own commit on the base.
  author_name text not null,
  author_email text not null,
  draft boolean not null default false,
  labels text[] not null default '{}',
  -- Those of its labels that the queue put there itself, written before the host is asked.
  queue_labels text[] not null default '{}',
  approvals integer not null default 0,
  changes_requested boolean not null default false,
  owner_review_missing boolean not null default false,
  unresolved_conversations integer not null default 0,
  -- How many commits up to `verified_head` have no verified signature. Null: nobody has asked the host.
  unverified_commits integer,
  verified_head text,
  -- Names of the validations it fails, and the digest of the validations it was judged by ('' without any).
  failed_validations text[] not null default '{}',
  validated_by text not null default '',
  url text not null,
  -- The pull request it stands on in its stack. Kept after that one has landed, until a head contains what landed: the
  -- changes of this one are those since the head of the one below, whatever commit brought that head into the base.
  below_id bigint,

  status text not null default 'open'
    check (status in ('open', 'pending', 'queued', 'tagged', 'blocked', 'merged', 'closed')),
  status_code integer,
  status_text text,
  failed_checks text[] not null default '{}',

  -- What was requested.
  requested_by text,
  skip_line boolean not null default false,
  skip_line_reason text,
  skip_validation boolean not null default false,
  merge_title text,
  merge_body text,
  affected_targets text[],
  -- What an `update` said of a head that has not been seen yet (interface 4.3).
  awaited jsonb,
  -- When it was asked to merge without a final answer. Pending ones are judged again when a fact changes.
  merge_requested_at timestamptz,
  merge_requested_by text,

  -- Its place in line while queued or tagged; lower is earlier.
  rank bigint,
  queued_at timestamptz,
  preconditions_held_at timestamptz,
  top_announced boolean not null default false,
  stuck_announced boolean not null default false,
  -- Its build failed, and it was reordered while it is built again: once since it was queued.
  reordered_for_failure boolean not null default false,
  -- How often ready ones passed it since it was queued, while it was unlikely to land or in its isolated retry.
  times_passed integer not null default 0,
  requeue_attempts integer not null default 0,
  sync_count integer not null default 0,
  bisection_group text,
  bisection_max integer,
  bisection_attempts integer not null default 0,
  bisection_phase text not null default 'in_place' check (bisection_phase in ('in_place', 'side_build', 'returned')),
  -- The last merge of this head that conflicted: on this commit, after these heads.
  conflict_parent text,
  conflict_after text[],

  -- From when on its status comment and its check may be written. Null: they are up to date.
  notify_at timestamptz,
  -- Counts the planned writes. The text of a lower count never replaces the text of a higher one.
  notification_version bigint not null default 0,
  -- What stands at the host and is kept up to date.
  has_status_comment boolean not null default false,
  status_check jsonb,

  merge_commit_sha text,
  own_commit_sha text,
  merged_by_queue boolean,
  -- Since when the facts in `pull_request_past` have been as they are.
  version_since timestamptz not null default clock_timestamp(),
  created_at timestamptz not null,
  updated_at timestamptz not null default now(),
  merged_at timestamptz,
  closed_at timestamptz,
  unique (account_id, id),
  unique (account_id, repository_id, number),
  check ((status in ('queued', 'tagged')) = (rank is not null)),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, queue_id) references queue (account_id, id),
  foreign key (account_id, below_id) references pull_request (account_id, id)
);
create index pull_request_line on pull_request (account_id, queue_id, rank) where status in ('queued', 'tagged');
create index pull_request_pending on pull_request (account_id, queue_id) where status = 'pending';
create index pull_request_notify on pull_request (account_id, queue_id, notify_at) where notify_at is not null;
create index pull_request_above on pull_request (account_id, below_id) where below_id is not null;
create index pull_request_head on pull_request (account_id, repository_id, head_branch, id desc);
create index pull_request_head_sha on pull_request (account_id, repository_id, head_sha);
create index pull_request_merge_commit on pull_request (account_id, repository_id, merge_commit_sha)
  where merge_commit_sha is not null;
create index pull_request_merged on pull_request (account_id, repository_id, merged_at desc, id desc)
  where status = 'merged';
-- Lists page by keyset: whatever the filter, a page costs what it shows. There are seven statuses, so an index that ends
-- with (status, id) serves a list of any of them: it merges the newest of each.
create index pull_request_newest on pull_request (account_id, repository_id, id desc);
create index pull_request_by_status on pull_request (account_id, repository_id, status, id desc);
create index pull_request_by_author on pull_request (account_id, repository_id, author, status, id desc);
create index pull_request_by_base on pull_request (account_id, repository_id, base_branch, status, id desc);
create index pull_request_by_author_and_base on pull_request (account_id, repository_id, author, base_branch, status, id desc);

-- How many affected targets an account has stored of its unfinished pull requests, so that the bound needs no counting
-- (ADR 0029).
create table account_targets (
  account_id bigint primary key references account,
  stored bigint not null default 0
);

create function stored_targets(targets text[], awaited jsonb) returns bigint immutable language sql as $$
  select coalesce(cardinality(targets), 0)
    + case jsonb_typeof(awaited->'affectedTargets') when 'array' then jsonb_array_length(awaited->'affectedTargets') else 0 end
$$;

-- Runs at the commit, when the transaction holds all its other locks. The account's row is the last lock, so that no
-- transactions wait for each other in a circle.
create function count_stored_targets() returns trigger language plpgsql as $$
declare
  change bigint := stored_targets(new.affected_targets, new.awaited) - stored_targets(old.affected_targets, old.awaited);
  total bigint;
begin
  if change = 0 then return null; end if;
  insert into account_targets as a (account_id, stored) values (new.account_id, greatest(0, change))
  on conflict (account_id) do update set stored = greatest(0, a.stored + change) returning stored into total;
  -- What is above it already may still fall.
  if change > 0 and total > 1000000 then
    raise exception 'account % stores more than 1000000 affected targets', new.account_id
      using errcode = 'check_violation', constraint = 'account_targets_bound';
  end if;
  return null;
end $$;
create constraint trigger count_stored_targets after update of affected_targets, awaited on pull_request
  deferrable initially deferred for each row
  when (old.affected_targets is distinct from new.affected_targets or old.awaited is distinct from new.awaited)
  execute function count_stored_targets();

-- Commands in comments, each carried out once.
create table comment_command (
  account_id bigint not null,
  repository_id bigint not null,
  comment_id text not null,
  ordinal integer not null,
  pull_request_id bigint,
  command text not null,
  author text not null,
  -- Why the command was not carried out. Null: it was.
  refusal text,
  handled_at timestamptz not null,
  primary key (account_id, repository_id, comment_id, ordinal),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);

-- How far the comments of a repository were read.
create table comment_cursor (
  account_id bigint not null,
  repository_id bigint not null,
  cursor text not null,
  primary key (account_id, repository_id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- The comment that fails at the moment, and since when. Comments are handled in order, so it holds up the later ones of
-- its repository; after a while it is passed over.
create table comment_failure (
  account_id bigint not null,
  repository_id bigint not null,
  comment_id text not null,
  tries integer not null,
  first_failed_at timestamptz not null,
  primary key (account_id, repository_id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- Heads that the service made of the `previous` head of a pull request by bringing `onto` into it. Written before the
-- push, so that the push is distinguished from a commit that somebody added.
create table pushed_head (
  account_id bigint not null,
  repository_id bigint not null,
  head text not null,
  previous text not null,
  onto text not null,
  pushed_at timestamptz not null,
  primary key (account_id, repository_id, head),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index pushed_head_previous on pushed_head (account_id, repository_id, previous);

-- The last update of a pull request's branch, whatever its cause.
create table branch_update (
  account_id bigint not null,
  pull_request_id bigint not null,
  -- The head that came of it, and the base's commit that it contains or could not be brought onto.
  head text not null,
  base text not null,
  -- Automatic updates so far (`auto_update.max_runs_for_update`).
  runs integer not null default 0,
  -- An automatic update counts as under way until the checks of `head` have ended.
  is_automatic boolean not null default false,
  -- The head whose update failed. Automatic updates wait for another head.
  failed_head text,
  updated_at timestamptz not null,
  primary key (account_id, pull_request_id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);

-- One for each source and target.
create table backport (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  pull_request_id bigint not null,
  target_branch text not null,
  -- `waiting`: the source is not merged yet.
  state text not null check (state in ('waiting', 'planned', 'opened', 'conflict', 'refused')),
  -- The commit at the tip of its branch, written before the push.
  pushed_commit text,
  -- The number of the pull request that was opened.
  number integer,
  -- Why it was refused, or the paths in conflict.
  reason text,
  requested_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, pull_request_id, target_branch),
  foreign key (account_id, repository_id) references repository (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index backport_waiting on backport (account_id, pull_request_id) where state = 'waiting';

-- A batch never changes members, parent or commit: a reset makes another batch. `commit` and `tree` are written once.
create table batch (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  repository_id bigint not null,
  position bigint not null,
  -- Null: it stands in line.
  side_build text check (side_build in ('part', 'isolation', 'speculative')),
  cause text not null check (cause in ('new', 'optimistic', 'bisect', 'probe', 'retry')),
  mode text not null check (mode in ('serial', 'parallel')),
  state text not null default 'making'
    check (state in ('making', 'building', 'landing', 'landed', 'failed', 'bisected', 'superseded')),
  parent_batch_id bigint,
  parent_commit text not null,
  base_commit text not null,
  strategy text not null,
  batch_commit text not null,
  build_keys_hash text not null,
  group_message text not null,
  -- What its members were put on. Null: its parent, or it is not made yet.
  pre_batch_commit text,
  commit text,
  tree text,
  tested_commit text,
  -- Digest of the base and of all that was put on it, in order. A later build with the same beginning starts from this
  -- commit.
  content text,
  -- Commits of the builds that justify its landing, where no build of its own tree does.
  rests_on text[] not null default '{}',
  -- Its landing was given up, and a tombstone stands in its landing ref: it can never land.
  given_up boolean not null default false,
  reset_code integer,
  caused_by bigint,
  ended_reason text,
  created_at timestamptz not null,
  build_started_at timestamptz,
  ended_at timestamptz,
  -- When its branch and its bot pull request were removed.
  cleaned_up_at timestamptz,
  unique (account_id, id),
  foreign key (account_id, queue_id) references queue (account_id, id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index batch_live on batch (account_id, queue_id, position) where state in ('making', 'building', 'landing');
create index batch_newest on batch (account_id, queue_id, id desc);
create index batch_ended on batch (account_id, queue_id, ended_at) where ended_at is not null;
create index batch_content on batch (account_id, queue_id, content) where content is not null;
-- Live batches are not cleaned up either: one index for all batches that have work left.
create index batch_unclean on batch (account_id, queue_id) where cleaned_up_at is null;

-- Its message and strategy are fixed when the batch is planned.
create table batch_member (
  account_id bigint not null,
  batch_id bigint not null,
  ordinal integer not null,
  pull_request_id bigint not null,
  pinned_head text not null,
  message text not null,
  author_name text not null,
  author_email text not null,
  -- The message still has to name the authors of its commits, which only the host knows.
  names_coauthors boolean not null default false,
  -- Null: the batch's.
  strategy text check (strategy in ('squash', 'merge', 'rebase')),
  -- The head below it in its stack when the batch was made.
  below_head text,
  -- Its changes are in the commit of the next member.
  joins_next boolean not null default false,
  own_commit text,
  primary key (account_id, batch_id, ordinal),
  unique (account_id, batch_id, pull_request_id),
  foreign key (account_id, batch_id) references batch (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index batch_member_pull_request on batch_member (account_id, pull_request_id, batch_id desc);

-- A pull request that a speculative build puts between its base and its members. `strategy`, `below_head` and
-- `joins_next` are those of `batch_member`.
create table batch_assumption (
  account_id bigint not null,
  batch_id bigint not null,
  ordinal integer not null,
  pull_request_id bigint not null,
  pinned_head text not null,
  strategy text not null,
  below_head text,
  joins_next boolean not null default false,
  primary key (account_id, batch_id, ordinal),
  unique (account_id, batch_id, pull_request_id),
  foreign key (account_id, batch_id) references batch (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);

-- Batches that use one bot pull request in turn have a row each, with the same number (ADR 0024).
create table bot_pull_request (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  batch_id bigint not null,
  number integer not null,
  url text not null,
  branch text not null,
  target_branch text not null,
  head_commit_sha text not null,
  pre_batch_sha text not null,
  -- The batch that took it over.
  heir_batch_id bigint,
  -- Its batch ended without landing. It stays open, and a later batch may take it over.
  idle boolean not null default false,
  created_at timestamptz not null default now(),
  -- When its branch stood on this batch's commit. Null: it was taken over, and the host does not know yet.
  opened_at timestamptz,
  closed_at timestamptz,
  unique (account_id, id),
  unique (account_id, batch_id),
  foreign key (account_id, batch_id) references batch (account_id, id)
);
create index bot_pull_request_number on bot_pull_request (account_id, repository_id, number, batch_id desc);
create index bot_pull_request_idle on bot_pull_request (account_id, repository_id) where idle;

-- The merge of these heads, in order, into the parent: true for ever.
create table merge_result (
  account_id bigint not null,
  repository_id bigint not null,
  parent text not null,
  heads text[] not null,
  tree text,
  -- Which of the heads conflicts, from 0. -1: none, and the merge is `tree`.
  conflict_at integer not null,
  found_at timestamptz default clock_timestamp(),
  primary key (account_id, repository_id, parent, heads),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- CI's facts about one commit. The domain derives the verdict under the rules of the moment.
create table build (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  tree text not null,
  base_commit text not null,
  complete boolean not null default false,
  -- When its list of checks became complete.
  complete_at timestamptz,
  canceled boolean not null default false,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, repository_id, commit),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
-- It begins with the tree. Until the table is first analysed, an index that begins with account and repository looks as
-- good as the primary key for a commit, and each look at a commit would read every build of its repository (ADR 0012).
create index build_tree on build (tree, account_id, repository_id);

create table check_result (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  name text not null,
  attempt integer not null,
  conclusion text not null,
  url text,
  summary text,
  started_at timestamptz,
  completed_at timestamptz,
  -- When the service learned that the check exists, and that it ended. Questions about a past moment go by these: the
  -- host may tell late what it dates early.
  heard_at timestamptz,
  end_heard_at timestamptz,
  primary key (account_id, repository_id, commit, name, attempt),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- The one retry of a failed check of a commit. This row makes it the only one: attempts do not, because people and the
-- host may add attempts too.
create table check_retry (
  account_id bigint not null,
  repository_id bigint not null,
  commit text not null,
  name text not null,
  -- The attempt that failed.
  attempt integer not null,
  state text not null default 'planned' check (state in ('planned', 'started', 'refused')),
  -- What the repository said of this check at the commit.
  context text not null default '',
  planned_at timestamptz not null,
  started_at timestamptz,
  primary key (account_id, repository_id, commit, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- A final gate of a batch: the run of a workflow on the commit that lands. Requested once (ADR 0034).
create table gate_run (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  queue_id bigint not null,
  batch_id bigint not null,
  workflow text not null,
  commit text not null,
  state text not null default 'planned' check (state in ('planned', 'running', 'passed', 'failed')),
  -- The host's name of the run.
  run text,
  url text,
  -- Why it failed.
  reason text,
  planned_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  unique (account_id, id),
  unique (account_id, batch_id, workflow),
  foreign key (account_id, batch_id) references batch (account_id, id)
);
create index gate_run_open on gate_run (account_id, repository_id, commit) where state in ('planned', 'running');

-- An effect on a host: written before it is tried, concluded by what the host says afterwards (ADR 0003). Builds need no
-- intent: the state of a batch says what is still to be made.
create table intent (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  batch_id bigint,
  pull_request_id bigint,
  -- The kinds are listed once, in src/modules/queue/store/queue.entities.ts.
  kind text not null check (kind ~ '^[a-z]+(_[a-z]+)*$'),
  -- Two intents of a queue with one kind and key are the same intent.
  key text not null,
  state text not null default 'planned' check (state in ('planned', 'started', 'done', 'failed', 'void')),
  attempt integer not null default 0,
  -- The next try after a failed one; the times between tries grow. Null: at once.
  next_try_at timestamptz,
  payload jsonb not null default '{}',
  outcome jsonb,
  planned_at timestamptz not null,
  started_at timestamptz,
  concluded_at timestamptz,
  unique (account_id, id),
  unique (account_id, queue_id, kind, key),
  foreign key (account_id, queue_id) references queue (account_id, id)
);
create unique index intent_one_started_landing on intent (account_id, queue_id) where kind = 'land' and state = 'started';
create index intent_open on intent (account_id, queue_id, id) where state in ('planned', 'started');
create index intent_pull_request on intent (account_id, pull_request_id) where pull_request_id is not null;

create table landing (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  repository_id bigint not null,
  batch_id bigint not null,
  commit text not null,
  first_parent text not null,
  tree text not null,
  grade text not null check (grade in ('exact', 'same_tree', 'composed', 'host_merged', 'unvalidated', 'external')),
  landed_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, batch_id),
  unique (account_id, repository_id, commit),
  foreign key (account_id, queue_id) references queue (account_id, id),
  foreign key (account_id, batch_id) references batch (account_id, id)
);
create index landing_newest on landing (account_id, queue_id, id desc);

create table landed_member (
  account_id bigint not null,
  repository_id bigint not null,
  pull_request_id bigint not null,
  landing_id bigint not null,
  pinned_head text not null,
  own_commit text not null,
  -- What it affected when it landed. Null: not known, or targets were not used.
  targets text[],
  primary key (account_id, repository_id, pull_request_id),
  foreign key (account_id, landing_id) references landing (account_id, id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index landed_member_landing on landed_member (account_id, landing_id);

create table proof (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  queue_id bigint not null,
  landing_id bigint not null,
  previous_id bigint,
  body jsonb not null,
  -- SHA-256 over the canonical body and the previous proof's digest.
  digest text not null,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, landing_id),
  foreign key (account_id, landing_id) references landing (account_id, id)
);
create index proof_newest on proof (account_id, queue_id, id desc);

select guard_new_tables();
