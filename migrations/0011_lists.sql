-- Lists page by keyset: whatever their filter, a page costs what it shows, not what there is. A status is one of
-- seven, so that an index that ends (status, id) serves lists of any of them: the newest of each, merged.
create index pull_request_by_status on pull_request (account_id, repository_id, status, id desc);
create index pull_request_by_author on pull_request (account_id, repository_id, author, status, id desc);
create index pull_request_by_base on pull_request (account_id, repository_id, base_branch, status, id desc);
create index pull_request_by_author_and_base on pull_request (account_id, repository_id, author, base_branch, status, id desc);

create index event_of_repository on event (account_id, repository_id, position desc)
  where position is not null and repository_id is not null;
