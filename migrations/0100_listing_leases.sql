-- Phase: expand
-- The process that lists the installations of the App now, and until when no other process may list them. Null: nobody
-- lists them.
alter table github_app add column listing text;
alter table github_app add column listing_until timestamptz;
