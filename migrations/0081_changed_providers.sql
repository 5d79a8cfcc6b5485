-- Since when an environment deploys, and a project builds, at the provider it has. Null: since it was made. What was
-- begun before is another provider's: that one is not told of it.
alter table environment add column provider_since timestamptz;
alter table release_project add column build_provider_since timestamptz;
