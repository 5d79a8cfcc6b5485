-- Whose work a branch of the local host is, besides whoever opens its pull request: none of them approves it.
create table local_branch_author (
  account_id bigint not null,
  repository_id bigint not null,
  branch text not null,
  -- A handle or an address; a person may have both.
  name text not null,
  primary key (account_id, repository_id, branch, name),
  foreign key (account_id, repository_id) references repository (account_id, id)
);

-- Branches that runbooks have pushed: who is named as their author, and whoever prompted them.
insert into local_branch_author (account_id, repository_id, branch, name)
select distinct r.account_id, r.repository_id, o.branch, person.name
from runbook r
join runbook_pull_request o on o.account_id = r.account_id and o.runbook_id = r.id
join local_repository l on l.account_id = r.account_id and l.repository_id = r.repository_id
cross join lateral (
  select r.author_handle union select r.author_email union select r.created_by
  union select p.author from runbook_prompt p where p.account_id = r.account_id and p.runbook_id = r.id
  union select u.handle from account_user u
    where u.account_id = r.account_id and (lower(u.email) in (lower(r.author_email), lower(r.created_by))
      or exists (select from runbook_prompt p where p.account_id = r.account_id and p.runbook_id = r.id and lower(p.author) = lower(u.email)))
) person (name)
where person.name is not null;

select guard_new_tables();
