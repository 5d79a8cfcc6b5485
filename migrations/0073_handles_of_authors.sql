-- Who had linked no handle was called by the email address. `service~1` is what src/domain/accounts/handle.ts makes of it.
create temporary table unlinked on commit drop as
select account_id, email,
  coalesce(nullif(left(trim(both '-' from regexp_replace(lower(split_part(email, '@', 1)), '[^a-z0-9]+', '-', 'g')), 39), ''), 'user') || '~' || id as handle
from account_user;

update local_pull_request t set author = u.handle from unlinked u where u.account_id = t.account_id and t.author = u.email;
update local_comment t set author = u.handle from unlinked u where u.account_id = t.account_id and t.author = u.email;
update local_thread t set author = u.handle from unlinked u where u.account_id = t.account_id and t.author = u.email;
update local_thread t set resolved_by = u.handle from unlinked u where u.account_id = t.account_id and t.resolved_by = u.email;
update local_label_change t set by = u.handle from unlinked u where u.account_id = t.account_id and t.by = u.email;
update local_review t set reviewer = u.handle from unlinked u where u.account_id = t.account_id and t.reviewer = u.email;
update pull_request t set author = u.handle from unlinked u where u.account_id = t.account_id and t.author = u.email;
