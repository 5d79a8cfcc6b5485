-- Phase: expand
-- A deletion ends the freezes of its repository. Freezes of repositories that were deleted earlier end here.

update freeze_rule f set deleted_at = now()
where f.deleted_at is null and exists (
  select from repository r
  where r.account_id = f.account_id and r.deleted_at is not null and (r.id = f.repository_id or exists (
    select from environment e join release_project p on p.account_id = e.account_id and p.id = e.project_id
    where e.account_id = f.account_id and e.id = f.environment_id and p.repository_id = r.id)));

update environment e set next_freeze_change_at = null
from release_project p join repository r on r.account_id = p.account_id and r.id = p.repository_id
where p.account_id = e.account_id and p.id = e.project_id and r.deleted_at is not null
  and e.next_freeze_change_at is not null;
