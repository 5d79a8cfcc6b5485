-- Runbooks: prompts that an agent turns into steps, commits and pull requests.

-- What the runbooks of a repository begin with where a request says nothing.
create table runbook_defaults (
  account_id bigint not null,
  repository_id bigint not null,
  draft boolean not null default false,
  pr_mode text not null default 'single_pr' check (pr_mode in ('manual', 'single_pr', 'stacked_pr')),
  -- Null: the repository's default branch.
  target_branch text,
  queue_when_green boolean not null default false,
  -- Millionths of a US dollar that a runbook may spend on its model.
  budget_micros bigint not null default 5000000 check (budget_micros >= 0),
  -- Its runbooks may change files that few people may change, such as workflows.
  workflow_files boolean not null default false,
  updated_at timestamptz not null,
  primary key (account_id, repository_id),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- The lock of all that belongs to the runbook, and the lease of its agent's work.
create table runbook (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  -- What users call it: 1, 2, 3 within the account.
  number integer not null,
  repository_id bigint not null,
  title text not null,
  -- The request gave the title, so no plan changes it.
  title_given boolean not null,
  -- The author it is attributed to, and who asked. `author_handle` null: no account on the code host is linked.
  author_user_id bigint,
  author_email text not null,
  author_handle text,
  created_by text not null,
  draft boolean not null,
  pr_mode text not null check (pr_mode in ('manual', 'single_pr', 'stacked_pr')),
  target_branch text not null,
  -- Stands before the body of one of its pull requests. Null: none was given.
  description text,
  -- The ordinal of that pull request. Null: the lowest open pull request when the next commit is pushed.
  description_in integer,
  -- Each once, in the order of the request.
  labels text[] not null default '{}',
  queue_when_green boolean not null,
  workflow_files boolean not null,
  -- The kind of agent that executes it, fixed at its creation.
  agent text not null check (agent in ('script', 'model')),
  budget_micros bigint not null check (budget_micros >= 0),
  spent_micros bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  -- Every change of what its turns are decided by increments it.
  version bigint not null default 0,
  -- Its leaves by status. The triggers of `runbook_step` count them in the transaction that changes them.
  not_started integer not null default 0,
  queued integer not null default 0,
  in_progress integer not null default 0,
  completed integer not null default 0,
  failed integer not null default 0,
  -- The first case that fits, as in `runbookStatus`.
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
  -- When its pull requests were requested in `manual` mode.
  publish_requested_at timestamptz,
  -- No call to the outside before that. Null: no call is put off.
  call_at timestamptz,
  -- Calls of one kind in a row: the back-off grows by them.
  calls integer not null default 0,
  -- What the last call failed with. Null: it succeeded.
  problem text,
  -- Since when every call to the code host has failed. Null: the last one succeeded.
  failing_since timestamptz,
  -- The lease of the agent's work.
  supervised_by text,
  supervised_until timestamptz,
  -- When the agent's present work should be over. Null: it works on nothing.
  due_at timestamptz,
  -- When the relay looks at it although nobody said that it changed, should its workflow be lost.
  next_look_at timestamptz,
  created_at timestamptz not null,
  unique (account_id, id),
  unique (account_id, number),
  foreign key (account_id, repository_id) references repository (account_id, id)
);
create index runbook_newest on runbook (account_id, repository_id, id desc);
create index runbook_newest_by_status on runbook (account_id, repository_id, status, id desc);
create index runbook_due on runbook (next_look_at) where next_look_at is not null;
create index runbook_overdue on runbook (due_at) where due_at is not null;

-- The first prompt and its follow-ups, planned in order.
create table runbook_prompt (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  -- From 1.
  ordinal integer not null,
  text text not null,
  author text not null,
  created_at timestamptz not null,
  -- When its steps were written. Null: not yet.
  planned_at timestamptz,
  -- How often its planning was started.
  attempts integer not null default 0,
  unique (account_id, runbook_id, ordinal),
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade
);

-- A tree of two levels: steps, and the leaves that the agent works on. Only leaves have a status.
create table runbook_step (
  account_id bigint not null,
  id bigint generated always as identity primary key,
  runbook_id bigint not null,
  -- The step of a leaf. Null: it is a step itself.
  parent_id bigint,
  prompt_ordinal integer not null,
  -- `1` of a step, `1.1` of a leaf: contiguous within the runbook.
  number text not null,
  -- The order of all steps and leaves of a runbook.
  position integer not null,
  title text not null,
  -- What the agent is to do, in the form in which its kind of agent plans. Empty for a step.
  instructions jsonb not null default '{}',
  status text check (status in ('not_started', 'queued', 'in_progress', 'completed', 'failed')),
  attempts integer not null default 0,
  -- The agent's words on what it did. Null: none yet.
  summary text,
  error_message text,
  -- It failed, and a later follow-up goes on without it.
  passed_over boolean not null default false,
  -- The commit that the agent works on top of. Null: not started.
  base_commit text,
  started_at timestamptz,
  ended_at timestamptz,
  unique (account_id, id),
  unique (account_id, runbook_id, number),
  check ((parent_id is null) = (status is null)),
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

-- What the agent's model was asked, and what that cost. Turns of an agent without a model cost nothing.
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
  -- The arguments of the call, long values cut.
  arguments jsonb not null,
  outcome text not null check (outcome in ('done', 'failed', 'refused')),
  -- The answer to the agent, cut.
  answer text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade,
  foreign key (account_id, step_id) references runbook_step (account_id, id) on delete cascade
);
create index runbook_tool_call_of on runbook_tool_call (account_id, runbook_id, id);
create index runbook_tool_call_of_step on runbook_tool_call (account_id, step_id, id);

-- A branch of a runbook, and its pull request.
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
  -- The tip as it was last read back. Null: nothing was pushed.
  head_commit text,
  state text not null check (state in ('planned', 'open', 'merged', 'closed')),
  number integer,
  url text,
  -- Its body and labels have to be written again.
  is_stale boolean not null default true,
  -- The labels put on so far: a label that a person took off stays off.
  labels text[] not null default '{}',
  -- When the runbook asked to queue it, with this head. Null: it did not.
  queued_at timestamptz,
  queued_head text,
  opened_at timestamptz,
  ended_at timestamptz,
  unique (account_id, id),
  unique (account_id, runbook_id, ordinal),
  check ((number is null) = (state = 'planned')),
  foreign key (account_id, runbook_id) references runbook (account_id, id) on delete cascade
);
create index runbook_pull_request_number on runbook_pull_request (account_id, number) where number is not null;

-- Written before its push, so that the push of a killed worker is found and not made twice.
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

select guard_new_tables();
