-- Phase: expand
-- The numbers of the transactions of the request that have committed. Each number is written by its own transaction.
alter table idempotency_key add column commits integer[] not null default '{}';
