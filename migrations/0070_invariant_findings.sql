-- Phase: expand
-- What a comparison of the invariants could not compare, and when the newest comparison that has ended did so.
alter table invariant_comparison
  add column uncompared jsonb,
  add column ended_at timestamptz;
