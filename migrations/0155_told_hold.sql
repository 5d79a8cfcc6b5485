-- What the pull requests of a queue were told last, besides their own state: why nothing lands, and how to ask to queue.
-- When it changes, those it was told to are told again.
alter table queue add column told_hold text;
alter table queue add column told_ways text;
