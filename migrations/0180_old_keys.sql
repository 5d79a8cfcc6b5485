-- Keys are forgotten by their age, of all accounts.
create index idempotency_key_created on idempotency_key (created_at);
