-- Phase: expand
-- Processes of an earlier version change the conclusion of an attempt that has ended, and do not write
-- past_conclusions. The landings that rest on the earlier conclusion would then be called unjustified for ever. So the
-- database keeps past_conclusions, whichever process changes a conclusion.
create function note_past_conclusion() returns trigger language plpgsql as $$
begin
  new.past_conclusions := array_append(array_remove(old.past_conclusions, old.conclusion), old.conclusion);
  return new;
end $$;
create trigger note_past_conclusion before update of conclusion on check_result
  for each row when (old.conclusion <> 'pending' and new.conclusion <> old.conclusion)
  execute function note_past_conclusion();
