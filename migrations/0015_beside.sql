-- Batches that are built beside the line, and where the members of a bisected one stand.
alter table batch add column beside text check (beside in ('part', 'question'));
alter table pull_request add column bisection_stand text not null default 'in_place'
  check (bisection_stand in ('in_place', 'beside', 'returned'));
