-- A deleted repository keeps its row, because landings, proofs, events and the audit log refer to it. Its name is free.
-- `removed_at`: what it held is removed from the disk and from these tables. Null besides `deleted_at`: that is to be done.
alter table repository
  add column deleted_at timestamptz,
  add column removed_at timestamptz,
  add check (deleted_at is null or not active),
  drop constraint repository_account_id_owner_name_key;
create unique index repository_name on repository (account_id, owner, name) where deleted_at is null;
create index repository_to_remove on repository (id) where deleted_at is not null and removed_at is null;
