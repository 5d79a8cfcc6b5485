-- What git says of which commits a candidate has, asked once (interface 2.11). None of it is the truth: it may be
-- deleted at any time, and is asked again.

-- How far a base branch was followed.
create table base_chain (
  account_id bigint not null,
  queue_id bigint not null,
  tip text not null,
  length integer not null check (length >= 0),
  primary key (account_id, queue_id),
  foreign key (account_id, queue_id) references queue (account_id, id)
);

-- Its commits since it is managed, from 1: each one is an ancestor of those after it.
create table base_commit (
  account_id bigint not null,
  queue_id bigint not null,
  position integer not null check (position > 0),
  commit text not null,
  primary key (account_id, queue_id, position),
  unique (account_id, queue_id, commit),
  foreign key (account_id, queue_id) references base_chain (account_id, queue_id)
);

-- Up to where a candidate has the commits of a base. 0: none of them.
create table candidate_reach (
  account_id bigint not null,
  queue_id bigint not null,
  candidate_id bigint not null,
  position integer not null check (position >= 0),
  -- It is known not to have the next one, and so never will have.
  bounded boolean not null,
  primary key (account_id, queue_id, candidate_id),
  foreign key (account_id, queue_id) references base_chain (account_id, queue_id),
  foreign key (account_id, candidate_id) references release_candidate (account_id, id)
);
create index candidate_reach_candidate on candidate_reach (account_id, candidate_id, queue_id);

create index pull_request_merge_commit on pull_request (account_id, repository_id, merge_commit_sha) where merge_commit_sha is not null;
create index pull_request_merged on pull_request (account_id, repository_id, merged_at desc, id desc) where status = 'merged';
create index release_project_repository on release_project (account_id, repository_id);

select guard_new_tables();
