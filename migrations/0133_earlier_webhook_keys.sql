-- Phase: expand
-- Keys that were replaced before the previous one, and that still sign, newest first. Each has its end in the second
-- array. The secrets of an endpoint are encrypted. An earlier version writes neither array.
alter table webhook_endpoint
  add column earlier_secrets bytea[] not null default '{}',
  add column earlier_secrets_until timestamptz[] not null default '{}';
alter table webhook_signing
  add column earlier_token_ids bigint[] not null default '{}',
  add column earlier_tokens_until timestamptz[] not null default '{}';
