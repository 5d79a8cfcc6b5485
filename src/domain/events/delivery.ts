// When a webhook that failed is tried again, and what an answer means (interface 6).

const minute = 60_000;
const hour = 60 * minute;

/** Waits between attempts. After the last one the delivery has failed. */
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

/** An endpoint without one success for this long is disabled. */
export const longestFailureMs = 5 * 24 * hour;

const longestRetryAfterMs = 24 * hour;

/** What an attempt came to. */
export interface AttemptOutcome {
  /** Null when there was no answer. */
  readonly status: number | null;
  /** The header of the answer, as it came. */
  readonly retryAfter: string | null;
}

export type AttemptVerdict =
  | { readonly kind: 'succeeded' }
  /** The receiver says that it will never take anything again. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'again'; readonly at: number }
  | { readonly kind: 'failed' };

/** `failures`: failed attempts so far, this one left out. A delivery without retries ends with its first failure. */
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
  return { kind: 'again', at: Math.max(now + delay, earliestWished(outcome, now)) };
}

// Any answer may carry it; a receiver that wants to be left alone for longer than a day is asked once a day.
function earliestWished({ retryAfter }: AttemptOutcome, now: number): number {
  if (retryAfter === null) return now;
  const text = retryAfter.trim();
  const at = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(at) ? now : Math.min(at, now + longestRetryAfterMs);
}

/** Whether an endpoint is given up after a failure. */
export function isGivenUp(failingSince: number, now: number): boolean {
  return now - failingSince >= longestFailureMs;
}
