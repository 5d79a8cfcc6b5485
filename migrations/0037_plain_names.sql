-- When each repository is next compared with its host, and whether a provider is still to be notified of a cancellation.
alter table repository_look rename to host_comparison;
alter index repository_look_due rename to host_comparison_due;
alter table host_comparison rename constraint repository_look_pkey to host_comparison_pkey;
alter table host_comparison rename constraint repository_look_account_id_repository_id_fkey to host_comparison_account_id_repository_id_fkey;
alter table deployment rename column cancel_owed to cancel_pending;
