// Decides from the answer to a webhook whether the delivery succeeded, failed, or is tried again, and when (interface 6).

const minute = 60_000;
const hour = 60 * minute;

/** The waits between attempts. If the attempt after the last wait fails, the delivery has failed. */
export const retryDelaysMs: readonly number[] = [
  5_000,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** An endpoint is disabled after it has failed for this long without a success. */
export const longestFailureMs = 5 * 24 * hour;

const longestRetryAfterMs = 24 * hour;

/** The result of an attempt. */
export interface AttemptOutcome {
  /** The status of the receiver's answer. Null: the receiver did not answer. */
  readonly status: number | null;
  /** The header `Retry-After` of the answer, unchanged. Null: the answer has no such header. */
  readonly retryAfter: string | null;
}

export type AttemptVerdict =
  | { readonly kind: 'succeeded' }
  /** The receiver answered that it will never accept a delivery again. */
  | { readonly kind: 'gone' }
  /** The next attempt is at `at`, in milliseconds since the epoch. */
  | { readonly kind: 'again'; readonly at: number }
  | { readonly kind: 'failed' };

/** `failures`: the number of failed attempts before this one. A delivery without retries ends at its first failure. */
export function decideAfterAttempt(
  outcome: AttemptOutcome,
  past: { readonly failures: number; readonly hasRetries: boolean },
  now: number,
): AttemptVerdict {
  const { status } = outcome;
  if (status !== null && status >= 200 && status < 300) return { kind: 'succeeded' };
  if (status === 410) return { kind: 'gone' };
  const delay = past.hasRetries ? retryDelaysMs[past.failures] : undefined;
  if (delay === undefined) return { kind: 'failed' };
  return { kind: 'again', at: Math.max(now + delay, earliestRetry(outcome, now)) };
}

// Any answer may have the header `Retry-After`. If it asks for more than a day, the next attempt is after a day.
function earliestRetry({ retryAfter }: AttemptOutcome, now: number): number {
  if (retryAfter === null) return now;
  const text = retryAfter.trim();
  const at = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(at) ? now : Math.min(at, now + longestRetryAfterMs);
}

/** Whether an endpoint that has failed since `failingSince` must be disabled. */
export function hasFailedTooLong(failingSince: number, now: number): boolean {
  return now - failingSince >= longestFailureMs;
}
