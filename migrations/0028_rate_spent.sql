-- What an account's requests have cost in all processes, reckoned up now and then. Lost with a crash, and no harm done.
create unlogged table rate_spent (
  account_id bigint primary key references account,
  spent double precision not null
);

select guard_new_tables();
