-- Phase: expand
-- Signatures of proofs, so that proofs are checked without the service (docs/proofs.md).

-- The newest key signs. Older keys stay, because signatures name them.
create table proof_key (
  id bigint generated always as identity primary key,
  -- Ed25519: 64 hexadecimal digits.
  public_key text not null unique,
  -- The private key, sealed by the secrets of the installation.
  sealed bytea not null,
  created_at timestamptz not null
);
grant select, insert on proof_key to interlock_system;

-- Written once, soon after the proof. Base64, and the public key that it is checked by. Null: not signed yet.
alter table proof
  add column signature text,
  add column signed_by text,
  add check ((signature is null) = (signed_by is null));
create index proof_unsigned on proof (id) where signature is null;
