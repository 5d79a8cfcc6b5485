// What webhooks are signed with, and by which keys at an instant (interface 5, 6). The header that is documented
// carries the HMAC of the body; the three of Standard Webhooks also sign the id and the time. Kept instead of the
// library `standardwebhooks`, whose HMAC is computed in JavaScript: seven times the processor time for a body of 200
// kB.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * How a secret signs: as text in the documented header, as decoded bytes in Standard Webhooks. Key objects, because an
 * HMAC by bytes makes such an object each time, which takes five times as long as a short body's HMAC.
 */
export interface SigningKey {
  readonly documented: KeyObject;
  readonly standard: KeyObject;
}

export interface SigningKeys {
  readonly current: SigningKey;
  /** The key that becomes the current one. */
  readonly next: SigningKey | null;
  /** The key that was the current one until at most a day ago. */
  readonly previous: SigningKey | null;
}

export interface Message {
  readonly id: string;
  readonly body: Buffer;
  /** The time of this attempt, not of the event: receivers refuse old times. */
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

/** A secret in the form that receivers get. */
export function secretText(bytes: Buffer): string {
  return secretPrefix + bytes.toString('base64');
}

/** A secret in another form, chosen by a user, signs with its own bytes. */
export function keyOfSecret(secret: string): SigningKey {
  const documented = createSecretKey(Buffer.from(secret));
  if (!secret.startsWith(secretPrefix)) return { documented, standard: documented };
  return { documented, standard: createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64')) };
}

/** Tokens are longer than the block of SHA-256, so that the digest gives the same signature as the token (RFC 2104). */
export function keyOfTokenDigest(digest: Buffer): SigningKey {
  const key = createSecretKey(digest);
  return { documented: key, standard: key };
}

/** How long the previous key goes on signing in addition. */
export const previousForMs = 24 * 3_600_000;
/** After this long the next key is promoted without a request. */
export const promoteAfterMs = 7 * 24 * 3_600_000;

/** The tokens of a rotation by stage. Times are in milliseconds. */
export interface Rotation {
  readonly current: string;
  readonly next: { readonly token: string; readonly promoteAt: number } | null;
  readonly previous: { readonly token: string; readonly until: number } | null;
}

export interface Signers {
  readonly current: string;
  readonly next: string | null;
  readonly previous: string | null;
}

/** The keys that sign at `now`, whether or not a due promotion has been written. */
export function signersAt({ current, next, previous }: Rotation, now: number): Signers {
  if (next !== null && next.promoteAt <= now && next.token !== current)
    return { current: next.token, next: null, previous: now < next.promoteAt + previousForMs ? current : null };
  return {
    current,
    next: next === null || next.token === current ? null : next.token,
    previous: previous !== null && now < previous.until && previous.token !== current ? previous.token : null,
  };
}
