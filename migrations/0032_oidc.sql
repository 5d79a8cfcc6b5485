-- Phase: expand
-- People who sign in at an OpenID provider (ADR 0094), and terminals that a browser signs in.

-- `oidc`: the role follows the groups of the person at the provider.
alter table account_user drop constraint account_user_role_from_check;

-- Users who are people of the provider.
create table oidc_person (
  account_id bigint not null references account,
  user_id bigint not null,
  issuer text not null,
  -- The provider's name of the person, which stays when the email address changes.
  subject text not null,
  -- When the provider last said what the person may do. Null: the person has to sign in again first.
  confirmed_at timestamptz,
  -- When the provider was last asked, so that only one process asks.
  asked_at timestamptz,
  -- Sealed. Null: the provider gave none.
  refresh_token bytea,
  primary key (account_id, user_id),
  unique (account_id, issuer, subject),
  foreign key (account_id, user_id) references account_user (account_id, id)
);

-- Sealed; says at the provider's sign-out which session there ends. Null: the session did not begin at the provider.
alter table user_session add column id_token bytea;

create table terminal_sign_in (
  account_id bigint not null references account,
  id bigint generated always as identity primary key,
  -- HMAC of the code under the server's pepper.
  digest bytea not null unique,
  -- SHA-256 of what the terminal keeps to itself (RFC 7636).
  challenge text not null,
  -- Name of the machine, as the terminal says.
  name text not null,
  -- The secret of the browser's session, sealed. The token is made by this session.
  session_secret bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  unique (account_id, id)
);
create index terminal_sign_in_expires on terminal_sign_in (expires_at);

select guard_new_tables();
