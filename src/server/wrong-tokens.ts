// Counts wrong tokens and wrong session cookies by client address, or by the /64 network of an IPv6 address. An address
// that has sent many in a minute is refused without a look-up. Tokens that were valid recently are still accepted,
// because many users may share an address. No library is used, because `rate-limiter-flexible` has a timer for each
// address and does not limit the number of addresses.
import { hash } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import { networkOf } from './client-address.ts';

export interface WrongTokens {
  /** Seconds until the address may try again with this token. Null: the address may try now. */
  refusedForSec(address: string, token: string): number | null;
  /** Whether the address has sent so many wrong tokens that its tokens may be refused. */
  isSuspect(address: string): boolean;
  recordWrong(address: string): void;
  recordGood(token: string): void;
}

/** Throws RATE_LIMITED while the address may not try again with this token. */
export function refuseGuesses(wrongTokens: WrongTokens, address: string, token: string): void {
  const seconds = wrongTokens.refusedForSec(address, token);
  if (seconds !== null)
    throw new DomainError(
      'RATE_LIMITED',
      `Too many wrong tokens, links or codes came from ${address}: try again in ${seconds} s.`,
    );
}

const maxPerMinute = 60;
const minuteMs = 60_000;
const maxKept = 10_000;

interface Minute {
  readonly endsAt: number;
  wrong: number;
}

export function createWrongTokens(clock: () => Date): WrongTokens {
  const minutes = new Map<string, Minute>();
  // Digests of recently valid tokens, oldest first. The oldest is removed first.
  const good = new Set<string>();
  const suspectForMs = (address: string): number => {
    const minute = minutes.get(networkOf(address));
    return minute === undefined || minute.wrong < maxPerMinute ? 0 : minute.endsAt - clock().getTime();
  };
  return {
    refusedForSec(address, token) {
      const leftMs = suspectForMs(address);
      return leftMs <= 0 || good.has(digestOf(token)) ? null : Math.ceil(leftMs / 1000);
    },
    isSuspect: (address) => suspectForMs(address) > 0,
    recordWrong(address) {
      const now = clock().getTime();
      const network = networkOf(address);
      const minute = minutes.get(network);
      if (minute !== undefined && minute.endsAt > now) {
        minute.wrong += 1;
        return;
      }
      minutes.delete(network);
      if (minutes.size >= maxKept) minutes.delete(minutes.keys().next().value as string);
      minutes.set(network, { endsAt: now + minuteMs, wrong: 1 });
    },
    recordGood(token) {
      const digest = digestOf(token);
      if (good.has(digest)) return;
      if (good.size >= maxKept) good.delete(good.keys().next().value as string);
      good.add(digest);
    },
  };
}

/** Wraps an authenticator so that it records every valid token and session. */
export function recordGoodTokens(authenticator: Authenticator, wrongTokens: WrongTokens): Authenticator {
  // Actors whose token was recorded already. An actor object belongs to one token or session.
  const noted = new WeakSet<object>();
  const note = <T extends Session>(session: T, secret: () => string): T => {
    const { actor } = session.ctx;
    if (noted.has(actor)) return session;
    noted.add(actor);
    wrongTokens.recordGood(secret());
    return session;
  };
  return {
    ...authenticator,
    authenticateKnown: (authorization, requestId) => {
      const session = authenticator.authenticateKnown(authorization, requestId);
      return session !== null && noted.has(session.ctx.actor) ? session : null;
    },
    authenticate: async (authorization, requestId) =>
      note(await authenticator.authenticate(authorization, requestId), () => presentedToken(authorization ?? '')),
    authenticateToken: async (token, requestId) =>
      note(await authenticator.authenticateToken(token, requestId), () => token),
    authenticateSession: async (secret, requestId, options) =>
      note(await authenticator.authenticateSession(secret, requestId, options), () => secret),
    authenticateEmbed: async (key, requestId) => note(await authenticator.authenticateEmbed(key, requestId), () => key),
  };
}

/**
 * The token of an Authorization header: of Bearer, or the password of Basic with any user name. Empty: there is none.
 */
export function presentedToken(authorization: string): string {
  const [, scheme = '', given = ''] = /^(Bearer|Basic) +(\S+)\s*$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return given;
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString('utf8')) ?? [];
  return password;
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64');
}
