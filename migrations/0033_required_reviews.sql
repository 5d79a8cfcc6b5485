-- Phase: expand
-- The code host's own rules demand a review that the pull request does not have. It counts where the configuration names
-- no number of approvals.
alter table pull_request add column required_review_missing boolean not null default false;
