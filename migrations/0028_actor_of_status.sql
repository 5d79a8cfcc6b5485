-- Phase: expand
-- Who acts next where the reason of a status has no code: author, reviewer, ci, queue or admin. With a code, the code
-- decides.
alter table pull_request add column status_actor text;
-- Until now the reason's sentence alone said who acts.
update pull_request set status_actor = case status_text
    when 'Its own required checks are running.' then 'ci'
    when 'The code host still shows an older head than the tip of its branch.' then 'queue'
    else 'author' end
  where status = 'pending' and status_code is null and status_text is not null;
