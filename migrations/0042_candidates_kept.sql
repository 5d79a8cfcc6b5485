-- When git is next asked about a candidate: its commit is pinned by a ref, and what it has of the bases is read, so
-- that no question about releases has to wait for it. Null: done.
alter table release_candidate add column git_look_at timestamptz;
update release_candidate set git_look_at = created_at;
create index release_candidate_git_due on release_candidate (git_look_at) where git_look_at is not null;
