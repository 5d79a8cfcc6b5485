// A token bucket per account, shared by REST and GraphQL. Each server process has its own; behind several of them an
// account gets as many times more.
import { DomainError } from '../domain/errors.ts';

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

const usual: RateLimit = { perSecond: 100, burst: 200 };

export class RateLimited extends DomainError {
  readonly retryAfterSec: number;
  readonly headers: ReadonlyMap<string, string>;
  constructor(retryAfterSec: number, headers: ReadonlyMap<string, string>) {
    super('RATE_LIMITED', `Too many requests: try again in ${retryAfterSec} s.`);
    this.retryAfterSec = retryAfterSec;
    this.headers = headers;
  }
}

export interface RateLimiter {
  /** Takes points and answers the headers that tell what is left. Throws RateLimited. */
  take(accountId: string, points: number): ReadonlyMap<string, string>;
}

interface Bucket {
  left: number;
  at: number;
}

export function createRateLimiter(clock: () => Date, { perSecond, burst }: RateLimit = usual): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(accountId, points) {
      const now = clock().getTime();
      const bucket = buckets.get(accountId) ?? { left: burst, at: now };
      bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      buckets.set(accountId, bucket);
      // More than a full bucket holds would never be allowed.
      const price = Math.min(points, burst);
      const isAllowed = bucket.left >= price;
      if (isAllowed) bucket.left -= price;
      const headers = new Map([
        ['ratelimit-limit', String(burst)],
        ['ratelimit-remaining', String(Math.floor(bucket.left))],
        ['ratelimit-reset', String(Math.ceil((burst - bucket.left) / perSecond))],
      ]);
      if (isAllowed) return headers;
      const retryAfterSec = Math.max(1, Math.ceil((price - bucket.left) / perSecond));
      throw new RateLimited(retryAfterSec, headers.set('retry-after', String(retryAfterSec)));
    },
  };
}
