-- The newest deployment that started, by the index alone: a rollback asks for it under the environment's row.
create index deployment_begun on deployment (account_id, environment_id, coalesce(last_start_at, deploy_start_at) desc, id desc)
  where deploy_start_at is not null;
