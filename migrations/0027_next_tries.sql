-- What could not be told at the host is tried again later each time. Null: at once.
alter table intent add column next_try_at timestamptz;
