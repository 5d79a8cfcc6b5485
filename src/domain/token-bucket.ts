// A token bucket: `burst` tokens may be taken at once, and then `perSecond` tokens in each second.

export interface BucketRate {
  readonly burst: number;
  readonly perSecond: number;
}

export interface TokenBucket {
  /** Below zero: more tokens were taken than there were. */
  readonly left: number;
  /** In milliseconds. */
  readonly at: number;
}

export function fullBucket({ burst }: BucketRate, now: number): TokenBucket {
  return { left: burst, at: now };
}

/** The bucket with the tokens that came in since its instant. If the clock was set back, none came in. */
export function refillBucket({ left, at }: TokenBucket, { burst, perSecond }: BucketRate, now: number): TokenBucket {
  return { left: Math.min(burst, left + (Math.max(0, now - at) / 1_000) * perSecond), at: now };
}
