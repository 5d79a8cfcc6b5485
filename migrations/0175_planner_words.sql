-- Columns, values and keys are named as the planner names them.
alter table batch rename column beside to side_build;
alter table batch drop constraint batch_beside_check;
update batch set side_build = case side_build when 'bet' then 'speculative' when 'question' then 'isolation' end
where side_build in ('bet', 'question');
alter table batch add constraint batch_side_build_check check (side_build in ('part', 'isolation', 'speculative'));

alter table bot_pull_request rename column spare to idle;
alter index bot_pull_request_spare rename to bot_pull_request_idle;

alter table pull_request rename column let_pass to reordered_for_failure;
alter table pull_request rename column passed_in_doubt to times_passed;
alter table pull_request rename column bisection_stand to bisection_phase;
alter table pull_request drop constraint pull_request_bisection_stand_check;
-- Another word for what a pull request is makes no past version of it.
alter table pull_request disable trigger keep_past;
update pull_request set bisection_phase = 'side_build' where bisection_phase = 'beside';
alter table pull_request enable trigger keep_past;
alter table pull_request add constraint pull_request_bisection_phase_check
  check (bisection_phase in ('in_place', 'side_build', 'returned'));
update pull_request_past
set facts = facts - array['let_pass', 'passed_in_doubt', 'bisection_stand'] || jsonb_strip_nulls(jsonb_build_object(
  'reordered_for_failure', facts -> 'let_pass',
  'times_passed', facts -> 'passed_in_doubt',
  'bisection_phase', case facts ->> 'bisection_stand' when 'beside' then '"side_build"' else facts -> 'bisection_stand' end))
where jsonb_exists_any(facts, array['let_pass', 'passed_in_doubt', 'bisection_stand']);

update event
set action = 'reordered', payload = payload - 'chance' || jsonb_build_object(
  'probability', payload -> 'chance',
  'reason', case payload ->> 'reason' when 'doubtful' then 'unlikely' when 'aside' then 'isolated_retry' else payload ->> 'reason' end)
where action = 'overtaken';
