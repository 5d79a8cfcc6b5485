-- A key belongs to the user whose token sent it. Whose the keys kept so far are is not known: they are forgotten.
truncate idempotency_key;

alter table idempotency_key
  drop constraint idempotency_key_pkey,
  add column user_id bigint not null,
  -- The server that answers the first request, by the number under which it holds an advisory lock while it lives.
  add column claimed_by integer not null,
  add primary key (account_id, user_id, operation, key),
  add foreign key (account_id, user_id) references account_user (account_id, id);
