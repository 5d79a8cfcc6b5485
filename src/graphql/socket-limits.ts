// How many sockets, operations and messages a server accepts (ADR 0029). A page of the dashboard has one socket. Each
// part of the page that follows changes is an operation, and a page has fewer than ten such parts.
import { fullBucket, refillBucket } from '../domain/token-bucket.ts';

export interface SocketLimits {
  /** How many sockets of an account may be open at one server. */
  readonly ofAccount: number;
  /** How many sockets of an address, or of a /64 network of IPv6, that have not signed in may be open at one server. */
  readonly ofAddress: number;
  /** How many operations may run at once on a socket. */
  readonly operations: number;
  /** How many messages a client may send at once on a socket. Pings and pongs of the WebSocket count too. */
  readonly messagesAtOnce: number;
  /** How many messages a client may send in each second after that. */
  readonly messagesPerSecond: number;
  /** How many unread bytes a client may leave and still send messages. */
  readonly unreadBytes: number;
  /** How long a socket may take to sign in. */
  readonly signInWithinMs: number;
}

export const usualSocketLimits: SocketLimits = {
  ofAccount: 2_000,
  ofAddress: 200,
  operations: 100,
  messagesAtOnce: 500,
  messagesPerSecond: 50,
  unreadBytes: 8 * 1024 * 1024,
  signInWithinMs: 10_000,
};

export class SocketLimitsRefused extends Error {}

/** Reads the limits that an operator can set. Throws SocketLimitsRefused, which names the variable. */
export function readSocketLimits(env: Readonly<Record<string, string | undefined>>): SocketLimits {
  return {
    ...usualSocketLimits,
    ofAccount: readNumber(env, 'SOCKETS_PER_ACCOUNT', usualSocketLimits.ofAccount),
    ofAddress: readNumber(env, 'SOCKETS_PER_ADDRESS', usualSocketLimits.ofAddress),
  };
}

function readNumber(env: Readonly<Record<string, string | undefined>>, name: string, standard: number): number {
  const text = env[name] || String(standard);
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0)
    throw new SocketLimitsRefused(`${name} must be a whole number from 1 to 999999, not ${JSON.stringify(text)}.`);
  return Number(text);
}

/** Counts what is open, by account or by address. */
export interface OpenCounts {
  /** False: as many as allowed are open, and nothing was counted. */
  add(key: string): boolean;
  remove(key: string): void;
}

export function createOpenCounts(most: number): OpenCounts {
  const counts = new Map<string, number>();
  return {
    add(key) {
      const open = counts.get(key) ?? 0;
      if (open >= most) return false;
      counts.set(key, open + 1);
      return true;
    },
    remove(key) {
      const open = (counts.get(key) ?? 0) - 1;
      if (open > 0) counts.set(key, open);
      else counts.delete(key);
    },
  };
}

/** Returns a function that is called for each message. Its result is false if the message is one too many. */
export function createMessageMeter({ messagesAtOnce, messagesPerSecond }: SocketLimits): () => boolean {
  const rate = { burst: messagesAtOnce, perSecond: messagesPerSecond };
  let bucket = fullBucket(rate, performance.now());
  return () => {
    bucket = refillBucket(bucket, rate, performance.now());
    if (bucket.left < 1) return false;
    bucket = { ...bucket, left: bucket.left - 1 };
    return true;
  };
}
