-- Phase: expand
-- Since when attempts of supervised work fail because of the code host. Null: the last attempt did not fail because of
-- the code host.
alter table deployment add column failing_since timestamptz;
alter table release_candidate add column failing_since timestamptz;
alter table verification add column failing_since timestamptz;
