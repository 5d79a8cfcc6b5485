-- A backport is the work of those who wrote the change: none of them approves it.
insert into local_branch_author (account_id, repository_id, branch, name)
select distinct o.account_id, o.repository_id, o.head_branch, person.name
from backport b
join pull_request s on s.account_id = b.account_id and s.id = b.pull_request_id
join local_pull_request p on p.account_id = s.account_id and p.repository_id = s.repository_id and p.number = s.number
join local_pull_request o on o.account_id = s.account_id and o.repository_id = s.repository_id and o.number = b.number
cross join lateral (
  select p.author union select a.name from local_branch_author a
    where a.account_id = p.account_id and a.repository_id = p.repository_id and a.branch = p.head_branch
) person (name)
on conflict do nothing;
