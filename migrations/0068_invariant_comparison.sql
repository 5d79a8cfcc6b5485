-- Phase: expand
-- One process at a time compares the installation with its invariants. The others read what it found.

-- One row.
create table invariant_comparison (
  id smallint primary key default 1 check (id = 1),
  -- When the newest comparison began. Null: none has begun yet.
  began_at timestamptz,
  -- What the newest comparison that has ended found. Null: none has ended yet.
  violations jsonb
);
insert into invariant_comparison default values;
grant select, update on invariant_comparison to interlock_system;
