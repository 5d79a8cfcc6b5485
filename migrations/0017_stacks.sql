-- Stacks: pull requests whose base branch is the head branch of another one.

-- The pull request it stands on. Kept after that one has landed, until a head contains what landed: its own changes are
-- those since the head of the one below, whatever commit brought that into the base.
alter table pull_request add column below_id bigint;
alter table pull_request add foreign key (account_id, below_id) references pull_request (account_id, id);
create index pull_request_above on pull_request (account_id, below_id) where below_id is not null;

alter table batch_member
  -- The head below it when the batch was made.
  add column below_head text,
  -- Its changes are in the commit of the next member.
  add column joins_next boolean not null default false;
