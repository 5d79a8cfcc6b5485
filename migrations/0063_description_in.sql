-- Which pull request of a runbook, by its ordinal, has the description before its body. Null: the lowest one that is open when
-- the next commit is pushed.
alter table runbook add column description_in integer;

update runbook set description_in = 1
where exists (select from runbook_pull_request where account_id = runbook.account_id and runbook_id = runbook.id);
