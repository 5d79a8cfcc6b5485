-- Phase: expand
-- Ended tokens are deleted by their age, once no row refers to them.

create index user_session_token on user_session (account_id, token_id) where token_id is not null;
create index sign_in_link_token on sign_in_link (account_id, token_id);
create index embed_link_token on embed_link (account_id, token_id) where token_id is not null;
