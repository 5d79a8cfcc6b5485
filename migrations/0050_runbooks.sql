-- Runbooks: prompts that an agent turns into steps, commits and pull requests.

-- The number of the account's newest runbook. Its row is the lock of the numbers.
alter table account add column runbooks integer not null default 0;

-- What a repository's runbooks begin with where a request does not say.
create table runbook_defaults (
  account_id bigint not null,
  repository_id bigint not null,
  draft boolean not null default false,
  pr_mode text not null default 'single_pr' check (pr_mode in ('manual', 'single_pr', 'stacked_pr')),
  -- Null: the repository's default branch.
  target_branch text,
  queue_when_green boolean not null default false,
  -- Millionths of a US dollar a runbook may spend on its model.
  budget_micros bigint not null default 5000000 check (budget_micros >= 0),
  -- Files that only some may change, such as workflows, may be changed by its runbooks.
  workflow_files boolean not null default false,
  updated_at timestamptz not null,
  primary key (account_id, repository_id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

create table runbook (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  -- What users call it: 1, 2, 3 within the account.
  number integer not null,
  repository_id bigint not null,
  title text not null,
  -- Given with the request, and so never made up again.
  title_given boolean not null,
  -- Who it is attributed to, and who asked. Handle null: no account on the code host is linked.
  author_user_id bigint,
  author_email text not null,
  author_handle text,
  created_by text not null,
  draft boolean not null,
  pr_mode text not null check (pr_mode in ('manual', 'single_pr', 'stacked_pr')),
  target_branch text not null,
  -- Stands before the body of its first pull request. Null: none was given.
  description text,
  -- In the order in which they were asked for, each once.
  labels text[] not null default '{}',
  queue_when_green boolean not null,
  workflow_files boolean not null,
  -- Who executes it, fixed when it is created.
  agent text not null check (agent in ('script', 'model')),
  budget_micros bigint not null check (budget_micros >= 0),
  spent_micros bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  -- Bumped by whoever changes what its turns are decided by.
  version bigint not null default 0,
  -- Its leaves by status, counted by the triggers below in the transaction that changes them.
  not_started integer not null default 0,
  queued integer not null default 0,
  in_progress integer not null default 0,
  completed integer not null default 0,
  failed integer not null default 0,
  -- The first that fits, as `runbookStatus` says.
  status text not null generated always as (
    case
      when not_started + queued + in_progress + completed + failed = 0 then 'generating_steps'
      when in_progress > 0 then 'in_progress'
      when failed > 0 then 'failed'
      when not_started + queued = 0 then 'completed'
      when queued + completed = 0 then 'not_started'
      else 'partially_completed'
    end
  ) stored,
  cancel_requested_at timestamptz,
  -- Its pull requests were asked for in `manual` mode.
  publish_requested_at timestamptz,
  -- No call to the outside before that. Null: none is put off.
  call_at timestamptz,
  -- Calls in a row of the same kind: what the time between them grows by.
  calls integer not null default 0,
  -- What the last of them failed with. Null: it did not.
  problem text,
  -- Who attends to the agent's work, and until when nobody else does.
  attended_by text,
  attended_until timestamptz,
  -- When it is looked at although nobody said that it changed: by the relay, should its workflow be lost.
  next_look_at timestamptz,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, number),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index runbook_newest on runbook (account_id, repository_id, id desc);
create index runbook_newest_by_status on runbook (account_id, repository_id, status, id desc);
create index runbook_due on runbook (next_look_at) where next_look_at is not null;

-- The first prompt and its follow-ups, consumed in order.
create table runbook_prompt (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  -- From 1.
  ordinal integer not null,
  text text not null,
  author text not null,
  created_at timestamptz not null,
  -- When its steps stood in the plan. Null: not yet.
  planned_at timestamptz,
  -- How often its planning was begun.
  attempts integer not null default 0,
  unique (account_id, runbook_id, ordinal),
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade
);

-- A tree of two levels: steps, and the leaves that are worked on. Only leaves have a status of their own.
create table runbook_step (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  -- Null: a step; else the step whose leaf it is.
  parent_id bigint,
  prompt_ordinal integer not null,
  -- `1`, or `1.1` for a leaf: contiguous within the runbook.
  number text not null,
  -- Order of all steps and leaves of a runbook.
  position integer not null,
  title text not null,
  -- What the agent is to do, in the form its kind of agent plans. Empty for a step.
  instructions jsonb not null default '{}',
  -- Of a leaf; null for a step.
  status text check (status in ('not_started', 'queued', 'in_progress', 'completed', 'failed')),
  attempts integer not null default 0,
  -- The agent's words on what it did. Null: none yet.
  summary text,
  error_message text,
  -- It failed, and a follow-up that came later goes on without it.
  passed_over boolean not null default false,
  -- The commit it works on top of. Null: not begun.
  base_commit text,
  started_at timestamptz,
  ended_at timestamptz,
  check ((parent_id is null) = (status is null)),
  unique (account_id, id),
  unique (account_id, runbook_id, number),
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade,
  foreign key (account_id, parent_id) references runbook_step (account_id, id) on delete cascade
);
create index runbook_step_of on runbook_step (account_id, runbook_id, position);

create function count_runbook_leaves() returns trigger language plpgsql as $$
begin
  update runbook r
  set not_started = c.not_started, queued = c.queued, in_progress = c.in_progress, completed = c.completed, failed = c.failed
  from (
    select touched.account_id, touched.runbook_id,
      count(*) filter (where s.status = 'not_started') as not_started,
      count(*) filter (where s.status = 'queued') as queued,
      count(*) filter (where s.status = 'in_progress') as in_progress,
      count(*) filter (where s.status = 'completed') as completed,
      count(*) filter (where s.status = 'failed') as failed
    from (select distinct account_id, runbook_id from changed) touched
    left join runbook_step s on s.account_id = touched.account_id and s.runbook_id = touched.runbook_id
    group by 1, 2) c
  where r.account_id = c.account_id and r.id = c.runbook_id
    and (r.not_started, r.queued, r.in_progress, r.completed, r.failed)
      is distinct from (c.not_started, c.queued, c.in_progress, c.completed, c.failed);
  return null;
end $$;
create trigger runbook_leaves_inserted after insert on runbook_step
  referencing new table as changed for each statement execute function count_runbook_leaves();
create trigger runbook_leaves_updated after update on runbook_step
  referencing new table as changed for each statement execute function count_runbook_leaves();
create trigger runbook_leaves_deleted after delete on runbook_step
  referencing old table as changed for each statement execute function count_runbook_leaves();

-- What the agent's model was asked, and what that cost. An agent without a model has turns that cost nothing.
create table runbook_turn (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  -- Null: planning.
  step_id bigint,
  text text not null,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost_micros bigint not null default 0,
  at timestamptz not null,
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade,
  foreign key (account_id, step_id) references runbook_step (account_id, id) on delete cascade
);
create index runbook_turn_of on runbook_turn (account_id, runbook_id, id);

create table runbook_tool_call (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  step_id bigint,
  tool text not null,
  -- As it was called, long values cut.
  arguments jsonb not null,
  outcome text not null check (outcome in ('done', 'failed', 'refused')),
  -- What the agent was answered, cut.
  answer text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade,
  foreign key (account_id, step_id) references runbook_step (account_id, id) on delete cascade
);
create index runbook_tool_call_of on runbook_tool_call (account_id, runbook_id, id);
create index runbook_tool_call_of_step on runbook_tool_call (account_id, step_id, id);

-- A branch of a runbook, and the pull request that comes of it.
create table runbook_pull_request (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  -- From 1, in the order of the stack.
  ordinal integer not null,
  branch text not null,
  base_branch text not null,
  -- Where the branch began.
  base_commit text not null,
  -- Tip as far as it was read back. Null: nothing was pushed.
  head_commit text,
  state text not null check (state in ('planned', 'open', 'merged', 'closed')),
  number integer,
  url text,
  -- Its body and labels are to be written anew.
  is_stale boolean not null default true,
  -- Put on so far: one that a person took off stays off.
  labels text[] not null default '{}',
  -- When the runbook asked to queue it, of which head. Null: it did not.
  queued_at timestamptz,
  queued_head text,
  opened_at timestamptz,
  ended_at timestamptz,
  check ((number is null) = (state = 'planned')),
  unique (account_id, id),
  unique (account_id, runbook_id, ordinal),
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade
);
create index runbook_pull_request_number on runbook_pull_request (account_id, number) where number is not null;

-- Written before its push, so that a killed worker's push is found and not made twice.
create table runbook_commit (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  step_id bigint not null,
  pull_request_id bigint not null,
  parent text not null,
  commit text not null,
  message text not null,
  files integer not null,
  state text not null check (state in ('made', 'pushed', 'void')),
  at timestamptz not null,
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade,
  foreign key (account_id, step_id) references runbook_step (account_id, id) on delete cascade,
  foreign key (account_id, pull_request_id) references runbook_pull_request (account_id, id) on delete cascade
);
create index runbook_commit_of on runbook_commit (account_id, runbook_id, id);
create unique index runbook_commit_once on runbook_commit (account_id, step_id) where state <> 'void';

-- What the agent said and its commands wrote, in pieces, oldest first.
create table runbook_log (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  step_id bigint,
  text text not null,
  at timestamptz not null,
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade,
  foreign key (account_id, step_id) references runbook_step (account_id, id) on delete cascade
);
create index runbook_log_of on runbook_log (account_id, runbook_id, id);
create index runbook_log_of_step on runbook_log (account_id, step_id, id);

alter table event add column runbook_id bigint;

select guard_new_tables();
