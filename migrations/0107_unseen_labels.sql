-- Phase: expand
-- Since when the host shows a change of the trigger or skip-line label, but not who has made it. Such a change is not in
-- `labels` yet. Null: there is no such change.
alter table pull_request add column label_unseen_since timestamptz;
