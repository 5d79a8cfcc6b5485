-- Phase: expand
-- Since when the host shows an added trigger or skip-line label, but not who has added it. Such a label is not in `labels`
-- yet. Null: there is no such label.
alter table pull_request add column label_unseen_since timestamptz;
