-- Phase: expand
-- How each migration lets earlier versions run beside it, for versions that do not have its file. `unused_since` is the
-- first released version that no longer uses what the migration removes; null where it only adds.
create table migration_phase (
  name text primary key,
  unused_since text
);
