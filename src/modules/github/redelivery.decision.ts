// Decides which webhooks GitHub is asked to send again. GitHub itself sends each delivery once, and keeps a list of the
// deliveries.
export interface ListedDelivery {
  /** The id of one attempt to deliver, a whole number. Text, because it may exceed 2^53. */
  readonly id: string;
  /** The id of the delivery, the same for each attempt (the header `X-GitHub-Delivery`). */
  readonly guid: string;
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly deliveredAt: number;
  /** The status that Interlock answered. If Interlock did not answer, GitHub records 502 or 504. */
  readonly statusCode: number;
}

export interface RedeliveryFacts {
  /** All attempts since `checkedUntil`, in any order. */
  readonly attempts: readonly ListedDelivery[];
  /** The `guid` of each delivery that arrived. */
  readonly received: ReadonlySet<string>;
  /** The instant until which all missing deliveries were found, in milliseconds. */
  readonly checkedUntil: number;
  readonly now: number;
}

export type RedeliveryDecision =
  | {
      readonly kind: 'ask';
      /** The newest attempt of each delivery that GitHub is asked to send again, the oldest delivery first. */
      readonly attempts: readonly string[];
      /** The instant at which the next comparison begins, in milliseconds. */
      readonly checkedUntil: number;
    }
  /**
   * The last comparison is too long ago, or too many deliveries are missing. The repositories are compared with GitHub
   * instead.
   */
  | { readonly kind: 'compare'; readonly checkedUntil: number };

const minuteMs = 60_000;
const longestOutageMs = 60 * minuteMs;
/**
 * The greatest number of deliveries that GitHub is asked to send again. Each request costs a call. For more deliveries,
 * a comparison of the repositories costs less.
 */
const maxAtOnce = 100;
/**
 * An attempt that began less than this ago may still be under way: GitHub waits ten seconds for an answer, and clocks
 * differ.
 */
const underWayMs = minuteMs;

/** The clocks of GitHub and of our machines differ by less than this. */
export const clocksDifferMs = 5 * minuteMs;

/**
 * Whether the last comparison is so long ago that missing deliveries are not requested one by one. Also true if the
 * last comparison lies in the future. Then a machine whose clock was ahead has written it, and it does not say which
 * deliveries have arrived since.
 */
export function isOutage(checkedUntil: number, now: number): boolean {
  return now - checkedUntil > longestOutageMs || checkedUntil - now > clocksDifferMs;
}

export function decideRedelivery({ attempts, received, checkedUntil, now }: RedeliveryFacts): RedeliveryDecision {
  if (isOutage(checkedUntil, now)) return { kind: 'compare', checkedUntil: now };
  const missing = [...Map.groupBy(attempts, ({ guid }) => guid)]
    .filter(([guid]) => !received.has(guid))
    .map(([, those]) => describeDelivery(those))
    .filter(({ newest }) => !isRefusal(newest));
  // An address that does not answer is tried less and less often: each attempt doubles the wait for the next one.
  const ended = missing.filter(
    ({ newest, attemptCount }) => now - newest.deliveredAt >= underWayMs * 2 ** (attemptCount - 1),
  );
  if (ended.length > maxAtOnce) return { kind: 'compare', checkedUntil: now };
  const settled = now - underWayMs;
  return {
    kind: 'ask',
    attempts: ended.toSorted((one, other) => one.firstAt - other.firstAt).map(({ newest }) => newest.id),
    // The next comparison begins no later than the oldest missing delivery. If that delivery stays missing for too
    // long, the repositories are compared instead.
    checkedUntil: Math.max(checkedUntil, Math.min(settled, ...missing.map(({ firstAt }) => firstAt))),
  };
}

function describeDelivery(attempts: readonly ListedDelivery[]): {
  readonly newest: ListedDelivery;
  readonly firstAt: number;
  readonly attemptCount: number;
} {
  return {
    newest: attempts.reduce((one, other) => (BigInt(other.id) > BigInt(one.id) ? other : one)),
    firstAt: Math.min(...attempts.map(({ deliveredAt }) => deliveredAt)),
    attemptCount: attempts.length,
  };
}

/**
 * Whether Interlock refused the delivery and would refuse it again, for example because of a wrong signature or its
 * size.
 */
function isRefusal({ statusCode }: ListedDelivery): boolean {
  return statusCode >= 400 && statusCode < 500;
}
