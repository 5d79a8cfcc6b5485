-- Its provider is to be told that it was canceled, though nobody waits for that: it was not heard of any more when it was.
alter table deployment add column cancel_owed boolean not null default false;
