// The rate limit: a token bucket for each account, which REST, GraphQL and git share. Each server process has its own
// buckets, and subtracts the points that other processes took (rate-limit.shared.ts). No library is used:
// `rate-limiter-flexible` counts in fixed windows instead of buckets, cannot use a given clock, and queries its
// PostgreSQL store at each request.
import { DomainError } from '../domain/errors.ts';

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

const usual: RateLimit = { perSecond: 100, burst: 200 };

export class RateLimited extends DomainError {
  override readonly retryAfterSec: number;
  readonly headers: ReadonlyMap<string, string>;
  constructor(retryAfterSec: number, headers: ReadonlyMap<string, string>) {
    super('RATE_LIMITED', `Too many requests: try again in ${retryAfterSec} s.`);
    this.retryAfterSec = retryAfterSec;
    this.headers = headers;
  }
}

export interface RateLimiter {
  /** Takes points from the bucket. Returns headers that say how many points are left. Throws RateLimited. */
  take(accountId: string, points: number): ReadonlyMap<string, string>;
  /** Returns the points that were taken since the last call, by account. */
  collectTaken(): ReadonlyMap<string, number>;
  /** Subtracts points that other processes took. The balance never falls below a full bucket of debt. */
  deduct(accountId: string, points: number): void;
}

interface Bucket {
  left: number;
  at: number;
}

export function createRateLimiter(clock: () => Date, { perSecond, burst }: RateLimit = usual): RateLimiter {
  const buckets = new Map<string, Bucket>();
  let taken = new Map<string, number>();
  const bucketNow = (accountId: string): Bucket => {
    const now = clock().getTime();
    const bucket = buckets.get(accountId) ?? { left: burst, at: now };
    bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    buckets.set(accountId, bucket);
    return bucket;
  };
  return {
    collectTaken() {
      const collected = taken;
      taken = new Map();
      return collected;
    },
    deduct(accountId, points) {
      const bucket = bucketNow(accountId);
      bucket.left = Math.max(-burst, bucket.left - points);
    },
    take(accountId, points) {
      const bucket = bucketNow(accountId);
      // The price is at most a full bucket, because otherwise the request could never be allowed.
      const price = Math.min(points, burst);
      const isAllowed = bucket.left >= price;
      if (isAllowed) {
        bucket.left -= price;
        taken.set(accountId, (taken.get(accountId) ?? 0) + price);
      }
      const headers = new Map([
        ['ratelimit-limit', String(burst)],
        ['ratelimit-remaining', String(Math.max(0, Math.floor(bucket.left)))],
        ['ratelimit-reset', String(Math.ceil((burst - bucket.left) / perSecond))],
      ]);
      if (isAllowed) return headers;
      const retryAfterSec = Math.max(1, Math.ceil((price - bucket.left) / perSecond));
      throw new RateLimited(retryAfterSec, headers.set('retry-after', String(retryAfterSec)));
    },
  };
}
