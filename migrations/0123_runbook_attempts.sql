-- Phase: expand
-- `calls` of a runbook no longer counts attempts that its code host ended, so attempts counted so far are forgotten.
update runbook set calls = 0 where failing_since is not null and calls > 0;
