-- Phase: expand
-- Since when the rules of a repository's pauses are kept after another rule has replaced them. Null: since the
-- repository was created. Landings from before are not compared with rules, because the rule that allowed them may be
-- gone.
alter table repository add column pauses_known_since timestamptz;
update repository r set pauses_known_since = now()
where exists (select from branch_pause p where p.account_id = r.account_id and p.repository_id = r.id);
