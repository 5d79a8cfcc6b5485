-- What a member's own commit will be is fixed when its batch is planned, as its message is.
-- Null: planned before labels could ask for another strategy than the batch's.
alter table batch_member add column strategy text check (strategy in ('squash', 'merge', 'rebase'));
-- Its message is still to name the authors of its commits: that needs the host.
alter table batch_member add column names_coauthors boolean not null default false;
