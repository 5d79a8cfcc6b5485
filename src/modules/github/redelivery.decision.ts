// Which webhooks GitHub is asked to send again: a pure decision. GitHub sends each delivery once and keeps a list of
// them.
export interface ListedDelivery {
  /** Of one attempt. */
  readonly id: number;
  /** Of the delivery, the same for each attempt: `X-GitHub-Delivery`. */
  readonly guid: string;
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly deliveredAt: number;
  /** What was answered. GitHub notes 502 or 504 if nothing was. */
  readonly statusCode: number;
}

export interface RedeliveryFacts {
  /** All attempts since `checkedUntil`, in any order. */
  readonly attempts: readonly ListedDelivery[];
  /** The deliveries that arrived. */
  readonly received: ReadonlySet<string>;
  readonly checkedUntil: number;
  readonly now: number;
}

export type RedeliveryDecision =
  | {
      readonly kind: 'ask';
      /** An attempt of each delivery that is sent again, the oldest delivery first. */
      readonly attempts: readonly number[];
      /** Where the next comparison begins. */
      readonly checkedUntil: number;
    }
  /** Too long ago, or too many: the repositories are compared with GitHub instead. */
  | { readonly kind: 'compare'; readonly checkedUntil: number };

const minuteMs = 60_000;
const longestOutageMs = 60 * minuteMs;
/** Each costs a call. Comparing the repositories costs less then. */
const mostAtOnce = 100;
/** An attempt may still be under way: GitHub waits ten seconds for an answer, and clocks differ. */
const underWayMs = minuteMs;

/** The clocks of GitHub and of our machines differ by less. */
export const clocksDifferMs = 5 * minuteMs;

/**
 * Deliveries of so long ago are not asked for. After a clock that was ahead, the last comparison lies in the future,
 * and says nothing of what has arrived since.
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
  const ended = missing.filter(({ newest, tries }) => now - newest.deliveredAt >= underWayMs * 2 ** (tries - 1));
  if (ended.length > mostAtOnce) return { kind: 'compare', checkedUntil: now };
  const settled = now - underWayMs;
  return {
    kind: 'ask',
    attempts: ended.toSorted((one, other) => one.firstAt - other.firstAt).map(({ newest }) => newest.id),
    // A delivery that is missing keeps the next comparison at its instant, until it is an outage.
    checkedUntil: Math.max(checkedUntil, Math.min(settled, ...missing.map(({ firstAt }) => firstAt))),
  };
}

function describeDelivery(attempts: readonly ListedDelivery[]): {
  readonly newest: ListedDelivery;
  readonly firstAt: number;
  readonly tries: number;
} {
  const [newest] = attempts.toSorted((one, other) => other.id - one.id);
  if (newest === undefined) throw new Error('A delivery without an attempt.');
  return { newest, firstAt: Math.min(...attempts.map(({ deliveredAt }) => deliveredAt)), tries: attempts.length };
}

/** Interlock has refused it, and would refuse it again: its signature is wrong, or it is too large. */
function isRefusal({ statusCode }: ListedDelivery): boolean {
  return statusCode >= 400 && statusCode < 500;
}
