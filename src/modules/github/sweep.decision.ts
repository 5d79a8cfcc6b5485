// Which webhooks GitHub is asked to send again: a pure decision. GitHub sends each delivery once and keeps a list of them.
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

export interface SweepFacts {
  /** All attempts since `sweptUntil`, in any order. */
  readonly attempts: readonly ListedDelivery[];
  /** The deliveries that arrived. */
  readonly received: ReadonlySet<string>;
  readonly sweptUntil: number;
  readonly now: number;
}

export type SweepDecision =
  | {
      readonly kind: 'ask';
      /** An attempt of each delivery that is sent again, the oldest delivery first. */
      readonly attempts: readonly number[];
      /** Where the next sweep begins. */
      readonly sweptUntil: number;
    }
  /** Too long ago, or too many: the repositories are compared with GitHub instead. */
  | { readonly kind: 'compare'; readonly sweptUntil: number };

const minuteMs = 60_000;
const longestOutageMs = 60 * minuteMs;
/** Each costs a call. Comparing the repositories costs less then. */
const mostAtOnce = 100;
/** An attempt may still be under way: GitHub waits ten seconds for an answer, and clocks differ. */
const underWayMs = minuteMs;

/** The clocks of GitHub and of our machines differ by less. */
export const clocksDifferMs = 5 * minuteMs;

/**
 * Deliveries of so long ago are not asked for. After a clock that was ahead, the last sweep lies in the future, and says
 * nothing of what has arrived since.
 */
export function isOutage(sweptUntil: number, now: number): boolean {
  return now - sweptUntil > longestOutageMs || sweptUntil - now > clocksDifferMs;
}

export function decideSweep({ attempts, received, sweptUntil, now }: SweepFacts): SweepDecision {
  if (isOutage(sweptUntil, now)) return { kind: 'compare', sweptUntil: now };
  const missing = [...Map.groupBy(attempts, ({ guid }) => guid)]
    .filter(([guid]) => !received.has(guid))
    .map(([, those]) => describeDelivery(those))
    .filter(({ newest }) => !isRefusal(newest));
  // An address that does not answer is tried less and less often: each attempt doubles the wait for the next one.
  const ended = missing.filter(({ newest, tries }) => now - newest.deliveredAt >= underWayMs * 2 ** (tries - 1));
  if (ended.length > mostAtOnce) return { kind: 'compare', sweptUntil: now };
  const settled = now - underWayMs;
  return {
    kind: 'ask',
    attempts: ended.toSorted((one, other) => one.firstAt - other.firstAt).map(({ newest }) => newest.id),
    // A delivery that is missing keeps the next sweep at its instant, until it is an outage.
    sweptUntil: Math.max(sweptUntil, Math.min(settled, ...missing.map(({ firstAt }) => firstAt))),
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
