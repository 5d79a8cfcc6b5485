-- Since when a repository was taken out of use. Null where `active` is false: making it was cut off, and is finished by
-- asking for it again.
alter table repository add column deactivated_at timestamptz;
