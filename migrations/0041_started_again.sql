-- A deployment that ended can be begun once more by a report from outside (interface 3.2): what a rollback takes for the
-- newest that started goes by that. Null: by deploy_start_at.
alter table deployment add column last_start_at timestamptz;
