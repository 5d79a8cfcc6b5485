-- What a member's own commit will be is fixed when its batch is planned, as its message is.
-- Null: planned before labels could ask for another strategy than the batch's.
alter table batch_member add column strategy text check (strategy in ('squash', 'merge', 'rebase'));
-- Its message is still to name the authors of its commits: that needs the host.
alter table batch_member add column names_coauthors boolean not null default false;
-- Its landing was given up, and a tombstone stands in its landing ref: it can never land.
alter table batch add column given_up boolean not null default false;
