-- Freezes of base branches: when they change next, and what of them was told.
alter table repository add column next_freeze_change_at timestamptz;
create index repository_freeze_change on repository (next_freeze_change_at) where next_freeze_change_at is not null;
alter table queue add column announced_frozen boolean not null default false;

-- A freeze by hand replaces the one of that very pattern.
create unique index freeze_rule_branches_manual on freeze_rule (account_id, repository_id, base_branches)
  where deleted_at is null and source = 'manual' and repository_id is not null;
-- What was frozen at an instant is told from those that have ended as well.
create index freeze_rule_past on freeze_rule (account_id, repository_id, created_at) where repository_id is not null;
