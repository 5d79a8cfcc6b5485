-- Beside the primary key (account, repository, commit) another index that begins with account and repository is as good a
-- guess for a commit, as long as the table was never analysed: it was taken, and each look at a commit read every build of
-- its repository.
drop index build_tree;
create index build_tree on build (tree, account_id, repository_id);

-- Live batches are not cleaned up either: one condition, and one index, for all that have work left.
drop index batch_unclean;
create index batch_unclean on batch (account_id, queue_id) where cleaned_up_at is null;
