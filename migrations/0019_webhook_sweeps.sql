-- Webhooks that did not arrive are asked for again, by one process for each App at a time.
-- When the deliveries of the App are next compared with what arrived. Null: they never were.
alter table github_app add column sweep_due_at timestamptz;
-- Deliveries before this instant have arrived, or were left to the reconciler.
alter table github_app add column swept_until timestamptz;

-- Since when a machine makes its first copy of the repository, which takes minutes if the repository is large. Null: it has one.
alter table repository add column preparing_since timestamptz;
