// The rate limit: a token bucket for each account, which REST, GraphQL and git share. Each server process has its own
// buckets, and subtracts the points that other processes took (rate-limit.shared.ts). No library is used:
// `rate-limiter-flexible` counts in fixed windows instead of buckets, cannot use a given clock, and queries its
// PostgreSQL store at each request.
import { DomainError } from '../domain/errors.ts';
import { type BucketRate, fullBucket, refillBucket, type TokenBucket } from '../domain/token-bucket.ts';

export type RateLimit = BucketRate;

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

export function createRateLimiter(clock: () => Date, rate: RateLimit = usual): RateLimiter {
  const { perSecond, burst } = rate;
  const buckets = new Map<string, TokenBucket>();
  let taken = new Map<string, number>();
  const bucketNow = (accountId: string): TokenBucket => {
    const now = clock().getTime();
    const bucket = buckets.get(accountId);
    return bucket === undefined ? fullBucket(rate, now) : refillBucket(bucket, rate, now);
  };
  return {
    collectTaken() {
      const collected = taken;
      taken = new Map();
      return collected;
    },
    deduct(accountId, points) {
      const bucket = bucketNow(accountId);
      buckets.set(accountId, { ...bucket, left: Math.max(-burst, bucket.left - points) });
    },
    take(accountId, points) {
      const bucket = bucketNow(accountId);
      // The price is at most a full bucket, because otherwise the request could never be allowed.
      const price = Math.min(points, burst);
      const isAllowed = bucket.left >= price;
      const left = isAllowed ? bucket.left - price : bucket.left;
      buckets.set(accountId, { ...bucket, left });
      if (isAllowed) taken.set(accountId, (taken.get(accountId) ?? 0) + price);
      const headers = new Map([
        ['ratelimit-limit', String(burst)],
        ['ratelimit-remaining', String(Math.max(0, Math.floor(left)))],
        ['ratelimit-reset', String(Math.ceil((burst - left) / perSecond))],
      ]);
      if (isAllowed) return headers;
      const retryAfterSec = Math.max(1, Math.ceil((price - left) / perSecond));
      throw new RateLimited(retryAfterSec, headers.set('retry-after', String(retryAfterSec)));
    },
  };
}
