// How long builds take, learned from ended and stopped builds. A stopped build would have taken longer than it ran.
// Without stopped builds the estimate would be too short, because long builds are stopped most.

export interface PastDuration {
  readonly lastedMs: number;
  /** False: stopped or still running, so that the build takes longer than this. */
  readonly hasEnded: boolean;
}

/** Values of equal weight, and the part of the distribution beyond the last one. Plain data. */
export interface Durations {
  /** Ascending, not empty. */
  readonly valuesMs: readonly number[];
  /** The probability that a build takes longer than the last value. More than 0. */
  readonly beyond: number;
}

const mostValues = 400;
/** A build that exceeds the longest known duration takes a quarter longer on average; longer times are less likely. */
const tail = 1 / 4;

/** The Kaplan-Meier estimate. Null: no build has ended. */
export function durationsOf(past: readonly PastDuration[]): Durations | null {
  const inOrder = [...past].sort((a, b) => a.lastedMs - b.lastedMs || Number(b.hasEnded) - Number(a.hasEnded));
  const steps: { readonly ms: number; readonly survive: number }[] = [];
  let survive = 1;
  for (const [place, { lastedMs, hasEnded }] of inOrder.entries()) {
    if (!hasEnded) continue;
    survive *= 1 - 1 / (inOrder.length - place);
    steps.push({ ms: Math.max(1, lastedMs), survive });
  }
  if (steps.length === 0) return null;
  const count = Math.min(mostValues, steps.length);
  const known = 1 - survive;
  let step = 0;
  const valuesMs = Array.from({ length: count }, (_, place) => {
    const share = ((place + 0.5) / count) * known;
    while (1 - (steps[step]?.survive ?? 0) < share) step += 1;
    return steps[step]?.ms ?? 1;
  });
  return { valuesMs, beyond: Math.max(survive, 1 / (steps.length + 1)) };
}

const rounding = 1e-9;

/** The duration that `share` of all builds do not exceed. */
export function durationAt({ valuesMs, beyond }: Durations, share: number): number {
  const longest = valuesMs.at(-1) ?? 1;
  const within = share / (1 - beyond);
  if (within < 1) return valuesMs[Math.floor(within * valuesMs.length + rounding)] ?? longest;
  return longest * (1 + tail * Math.log(beyond / Math.max(1 - share, Number.EPSILON)));
}

/** The share of all builds that do not exceed the duration: less than 1. */
export function shareWithin({ valuesMs, beyond }: Durations, ms: number): number {
  const longest = valuesMs.at(-1) ?? 1;
  if (ms >= longest) return 1 - beyond * Math.exp(-(ms / longest - 1) / tail);
  const longer = valuesMs.findIndex((value) => value > ms);
  return (longer / valuesMs.length) * (1 - beyond);
}

/**
 * Between 0 and 1: how similar the durations of one pull request's builds are. Each entry lists its builds, oldest
 * first.
 */
export function stabilityOf(durations: Durations, builds: Iterable<readonly number[]>): number {
  let [apart, pairs] = [0, 0];
  for (const each of builds)
    for (const [place, ms] of each.entries()) {
      const before = each[place - 1];
      if (before === undefined) continue;
      apart += Math.abs(shareWithin(durations, ms) - shareWithin(durations, before));
      pairs += 1;
    }
  // Two independent values differ by a third on average. If nothing is known, the estimate is one half.
  return Math.max(0, 1 - (3 * apart + unknownPairs / 2) / (pairs + unknownPairs));
}

const unknownPairs = 4;
