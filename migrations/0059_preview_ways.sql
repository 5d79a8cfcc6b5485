-- A server reaches a sandbox through the door of its worker, wherever that runs: `address` is the door's, as `tcp:<host>:<port>`.
-- The key that the door knows the sandbox by, sealed for the row. Null: not up.
alter table preview_sandbox add column way_key bytea;
