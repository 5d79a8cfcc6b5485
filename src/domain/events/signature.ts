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
  /** Keys that were replaced before `previous`, and at most a day ago. They have no documented header. */
  readonly earlier?: readonly SigningKey[];
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
  const all = [keys.current, keys.next, keys.previous, ...(keys.earlier ?? [])].filter((key) => key !== null);
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
/** At most this many replaced keys sign, so that the header of all signatures stays short. */
export const maxReplaced = 10;
/** After this time the next key is promoted without a request. */
export const promoteAfterMs = 7 * 24 * 3_600_000;

/** A replaced key, and until when it signs, in milliseconds since the epoch. */
interface Replaced {
  readonly until: number;
}

/** The replaced keys that sign at `now`, newest first, after `newest` was replaced. */
export function replacedKeysAfter<Key extends Replaced>(
  earlier: readonly Key[],
  { newest, now }: { readonly newest: Key; readonly now: number },
): readonly Key[] {
  return [newest, ...earlier].filter(({ until }) => now < until).slice(0, maxReplaced);
}

/** The tokens of a rotation. Times are in milliseconds since the epoch. */
export interface Rotation {
  readonly current: string;
  readonly next: { readonly token: string; readonly promoteAt: number } | null;
  readonly previous: ReplacedToken | null;
  /** The tokens that were replaced before `previous`, newest first. */
  readonly earlier?: readonly ReplacedToken[];
}

export interface ReplacedToken extends Replaced {
  readonly token: string;
}

export interface SigningTokens {
  readonly current: string;
  readonly next: string | null;
  readonly previous: string | null;
  /** Until when `previous` signs, in milliseconds since the epoch. Null: there is no previous token. */
  readonly previousUntil: number | null;
  readonly earlier: readonly string[];
}

/** The tokens whose keys sign at `now`. A promotion that is due counts even if it has not been written yet. */
export function signingTokensAt(rotation: Rotation, now: number): SigningTokens {
  const { current, next } = rotation;
  const isDue = next !== null && next.promoteAt <= now && next.token !== current;
  const present = isDue ? next.token : current;
  const [previous = null, ...earlier] = (isDue ? replacedTokensAfter(rotation, now) : replacedTokens(rotation)).filter(
    ({ token, until }) => now < until && token !== present,
  );
  return {
    current: present,
    next: isDue || next === null || next.token === current ? null : next.token,
    previous: previous?.token ?? null,
    previousUntil: previous?.until ?? null,
    earlier: earlier.map(({ token }) => token),
  };
}

/** The replaced tokens that sign at `now`, newest first, after the promotion of the next token. */
export function replacedTokensAfter(rotation: Rotation, now: number): readonly ReplacedToken[] {
  const { current, next } = rotation;
  if (next === null || next.token === current) return replacedTokens(rotation);
  return replacedKeysAfter(replacedTokens(rotation), {
    newest: { token: current, until: next.promoteAt + previousForMs },
    now,
  });
}

function replacedTokens({ previous, earlier = [] }: Rotation): readonly ReplacedToken[] {
  return previous === null ? earlier : [previous, ...earlier];
}
