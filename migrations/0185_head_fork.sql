-- `owner/name` of the fork that has the head branch of a pull request. Null: the repository itself has it.
alter table pull_request add column head_fork text;
alter table local_pull_request add column head_fork text;
