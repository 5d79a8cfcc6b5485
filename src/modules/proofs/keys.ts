// The key that signs proofs. Its private half is encrypted with the secrets of the installation, so that nobody can
// sign with a stolen database.
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { Ports } from '../../context.ts';
import { decrypt, encrypt, type Secrets } from '../accounts/index.ts';

export interface ProofKey {
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
  /** Base64 of the Ed25519 signature of a text in UTF-8. */
  readonly sign: (text: string) => string;
}

/** The newest key. Creates a key if there is none, or if the newest key cannot be decrypted with these secrets. */
export async function openProofKey({ db, clock }: Pick<Ports, 'db' | 'clock'>, secrets: Secrets): Promise<ProofKey> {
  return await db.system.transaction(async (query) => {
    // The lock prevents two processes from creating two keys.
    await query(`select pg_advisory_xact_lock(hashtext('proof_key'))`);
    const [newest] = await query<{ public_key: string; sealed: Buffer }>(
      'select public_key, sealed from proof_key order by id desc limit 1',
    );
    const known = newest === undefined ? null : unsealKey(secrets, newest.public_key, newest.sealed);
    if (known !== null) return known;
    const { key, sealed } = createKey(secrets);
    await query('insert into proof_key (public_key, sealed, created_at) values ($1, $2, $3)', [
      key.publicKey,
      sealed,
      clock(),
    ]);
    return key;
  });
}

/** Public keys that have signed since the installation began, newest first. */
export async function readProofKeys({ db }: Pick<Ports, 'db'>): Promise<readonly string[]> {
  const rows = await db.system.query<{ public_key: string }>('select public_key from proof_key order by id desc');
  return rows.map(({ public_key: key }) => key);
}

/** Makes a key. `sealed` is the private half of the key, encrypted with the secrets. */
export function createKey(secrets: Secrets): { readonly key: ProofKey; readonly sealed: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const name = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');
  const sealed = encrypt(secrets, purposeOf(name), privateKey.export({ format: 'der', type: 'pkcs8' }));
  return { key: keyOf(name, privateKey), sealed };
}

/** Null: the key was encrypted with other secrets, which this installation has lost. */
export function unsealKey(secrets: Secrets, publicKey: string, sealed: Buffer): ProofKey | null {
  try {
    const der = decrypt(secrets, purposeOf(publicKey), sealed);
    return keyOf(publicKey, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  } catch {
    return null;
  }
}

function purposeOf(publicKey: string): string {
  return `proof-key/${publicKey}`;
}

function keyOf(publicKey: string, privateKey: KeyObject): ProofKey {
  return { publicKey, sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64') };
}
