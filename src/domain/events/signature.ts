// Signs webhooks, and decides which keys sign at an instant (interface 5, 6). The documented header has the HMAC of the
// body. The headers of Standard Webhooks have an HMAC of the id, the time and the body. The library `standardwebhooks`
// is not used, because it computes the HMAC in JavaScript: for a body of 200 kB that takes seven times the CPU.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * The keys that a secret gives: the documented header uses the secret as text, Standard Webhooks uses its decoded bytes.
 * The keys are kept as key objects, because making a key object takes five times as long as the HMAC of a short body.
 */
export interface SigningKey {
  readonly documented: KeyObject;
  readonly standard: KeyObject;
}

export interface SigningKeys {
  readonly current: SigningKey;
  /** The key that will become the current key. */
  readonly next: SigningKey | null;
  /** The key that was the current key until at most a day ago. */
  readonly previous: SigningKey | null;
}

export interface Message {
  readonly id: string;
  readonly body: Buffer;
  /** The time of this attempt, not of the event, because receivers refuse old times. */
  readonly at: Date;
}

export function signatureHeaders(keys: SigningKeys, message: Message): Record<string, string> {
  const timestamp = Math.floor(message.at.getTime() / 1000).toString();
  const documented = (key: SigningKey): string =>
    createHmac('sha256', key.documented).update(message.body).digest('hex');
  const standard = (key: SigningKey): string =>
    `v1,${createHmac('sha256', key.standard).update(`${message.id}.${timestamp}.`).update(message.body).digest('base64')}`;
  const all = [keys.current, keys.next, keys.previous].filter((key) => key !== null);
  return {
    'x-service-signature-sha256': documented(keys.current),
    ...(keys.next && { 'x-service-signature-sha256-next': documented(keys.next) }),
    ...(keys.previous && { 'x-service-signature-sha256-previous': documented(keys.previous) }),
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': all.map(standard).join(' '),
  };
}

const secretPrefix = 'whsec_';

/** Returns a secret in the form in which receivers get it. */
export function secretText(bytes: Buffer): string {
  return secretPrefix + bytes.toString('base64');
}

/** If a user chose the secret, and it has another form, the bytes of its text are both keys. */
export function keyOfSecret(secret: string): SigningKey {
  const documented = createSecretKey(Buffer.from(secret));
  if (!secret.startsWith(secretPrefix)) return { documented, standard: documented };
  return { documented, standard: createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64')) };
}

/**
 * Returns the keys of a token from its SHA-256 digest. They give the same signatures as the token itself, because HMAC
 * hashes a key that is longer than the block of SHA-256, as each token is (RFC 2104).
 */
export function keyOfTokenDigest(digest: Buffer): SigningKey {
  const key = createSecretKey(digest);
  return { documented: key, standard: key };
}

/** For how long the previous key also signs. */
export const previousForMs = 24 * 3_600_000;
/** After this time the next key is promoted without a request. */
export const promoteAfterMs = 7 * 24 * 3_600_000;

/** The tokens of a rotation. Times are in milliseconds since the epoch. */
export interface Rotation {
  readonly current: string;
  readonly next: { readonly token: string; readonly promoteAt: number } | null;
  readonly previous: { readonly token: string; readonly until: number } | null;
}

export interface SigningTokens {
  readonly current: string;
  readonly next: string | null;
  readonly previous: string | null;
}

/** The tokens whose keys sign at `now`. A promotion that is due counts even if it has not been written yet. */
export function signingTokensAt({ current, next, previous }: Rotation, now: number): SigningTokens {
  if (next !== null && next.promoteAt <= now && next.token !== current)
    return { current: next.token, next: null, previous: now < next.promoteAt + previousForMs ? current : null };
  return {
    current,
    next: next === null || next.token === current ? null : next.token,
    previous: previous !== null && now < previous.until && previous.token !== current ? previous.token : null,
  };
}
