// What the database stores of a token (ADR 0004): twelve characters to look the token up, and a keyed digest to compare
// it. For account tokens it also stores the encrypted SHA-256, which signs webhooks. With a stolen database nobody can
// sign in or sign webhooks. With the server's secrets as well, a thief can sign webhooks but cannot sign in.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Secrets that only the server has. If they are lost, every token ends. */
export interface Secrets {
  /** The key of the digests that tokens are compared by. 32 bytes, base64url. */
  readonly pepper: string;
  /** Encrypts secrets that must be read back. 32 bytes, base64url. */
  readonly encryptionKey: string;
}

export type TokenKind = 'account' | 'user';

const prefixes = { account: 'il_live_', user: 'il_user_' } as const satisfies Record<TokenKind, string>;
const lookupLength = 12;
// A token is longer than a block of SHA-256, so that HMAC first replaces the key by its SHA-256 (RFC 2104). Its digest
// therefore makes the same signatures as the token.
const tokenPattern = /^il_(?:live|user)_([A-Za-z0-9_-]{80})$/;

export function generateSecrets(): Secrets {
  return { pepper: randomBytes(32).toString('base64url'), encryptionKey: randomBytes(32).toString('base64url') };
}

/** Every process with the same INTERLOCK_SECRET derives the same secrets. */
export function deriveSecrets(secret: string): Secrets {
  if (secret.length < 32)
    throw new Error('INTERLOCK_SECRET must have at least 32 characters, such as those of `openssl rand -base64 32`.');
  const derive = (purpose: string): string =>
    Buffer.from(hkdfSync('sha256', secret, 'interlock', purpose, 32)).toString('base64url');
  return { pepper: derive('token pepper'), encryptionKey: derive('encryption') };
}

export function generateToken(kind: TokenKind): string {
  return prefixes[kind] + randomBytes(60).toString('base64url');
}

/** The characters by which a token is looked up. Null: the text is not a token of Interlock. */
export function lookupOf(token: string): string | null {
  return tokenPattern.exec(token)?.[1]?.slice(0, lookupLength) ?? null;
}

export function digestToken(secrets: Secrets, token: string): Buffer {
  return createHmac('sha256', key(secrets.pepper)).update(token).digest();
}

/** Compares in constant time. */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The key of webhook signatures: HMAC(token, body) = HMAC(SHA256(token), body) because a token is longer than a block
 * of SHA-256.
 */
export function signingDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

interface Owner {
  readonly accountId: string;
  readonly tokenId: string;
}

const version = 1;
const nonceLength = 12;
const tagLength = 16;

// The owner is associated data: a ciphertext that was moved to another row or account cannot be decrypted.
export function encryptSigningDigest(secrets: Secrets, owner: Owner, digest: Buffer): Buffer {
  return encrypt(secrets, purposeOf(owner), digest);
}

export function decryptSigningDigest(secrets: Secrets, owner: Owner, sealed: Buffer): Buffer {
  return decrypt(secrets, purposeOf(owner), sealed);
}

function purposeOf({ accountId, tokenId }: Owner): string {
  return `signing/${accountId}/${tokenId}`;
}

/**
 * Encrypts a secret that must be read back. Decryption needs the same purpose, which names the row that has the secret.
 */
export function encrypt(secrets: Secrets, purpose: string, bytes: Buffer): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key(secrets.encryptionKey), nonce).setAAD(associatedData(purpose));
  return Buffer.concat([Buffer.of(version), nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Whether this version of Interlock can decrypt such a secret, unless the secret is damaged. */
export function isOfKnownVersion(sealed: Buffer): boolean {
  return sealed[0] === version;
}

export function decrypt(secrets: Secrets, purpose: string, sealed: Buffer): Buffer {
  if (!isOfKnownVersion(sealed)) throw new Error('Another version of Interlock encrypted this secret.');
  const nonce = sealed.subarray(1, 1 + nonceLength);
  const decipher = createDecipheriv('aes-256-gcm', key(secrets.encryptionKey), nonce, { authTagLength: tagLength })
    .setAAD(associatedData(purpose))
    .setAuthTag(sealed.subarray(sealed.length - tagLength));
  return Buffer.concat([
    decipher.update(sealed.subarray(1 + nonceLength, sealed.length - tagLength)),
    decipher.final(),
  ]);
}

function associatedData(purpose: string): Buffer {
  return Buffer.from(`interlock/${purpose}`);
}

// Each request hashes its token. Creating a KeyObject takes five times as long as using it, so the objects are cached.
const keys = new Map<string, KeyObject>();

function key(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const bytes = Buffer.from(secret, 'base64url');
  if (bytes.length !== 32) throw new Error("The server's secrets must be 32 bytes each, in base64url.");
  const made = createSecretKey(bytes);
  keys.set(secret, made);
  return made;
}
