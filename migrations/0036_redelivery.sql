-- The comparison of GitHub's list of deliveries with the received ones has one name: redelivery.
alter table github_app rename column sweep_due_at to redelivery_due_at;
alter table github_app rename column swept_until to deliveries_checked_until;
