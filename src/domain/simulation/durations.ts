// Estimates how long builds take, from ended, running and stopped builds. A running build will take longer than it
// has run, and a stopped build would have. Without these builds the estimate would be too short, because long builds are stopped most often.

export interface PastDuration {
  readonly lastedMs: number;
  /** False: the build was stopped or is still running, so that its duration is longer than `lastedMs`. */
  readonly hasEnded: boolean;
}

/**
 * A distribution of durations: values of equal weight, and the probability of longer durations. Can be stored as JSON.
 */
export interface Durations {
  /** Ascending, not empty. */
  readonly valuesMs: readonly number[];
  /** The probability that a build takes longer than the last value. Greater than 0. */
  readonly beyond: number;
}

const maxValues = 400;
/** Durations beyond the longest known one follow an exponential distribution: on average they are a quarter longer. */
const tail = 1 / 4;

/** Returns the Kaplan-Meier estimate. Null: no build has ended. */
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
  const count = Math.min(maxValues, steps.length);
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

/** Returns the duration that `share` (0 to 1) of all builds do not exceed. */
export function durationAt({ valuesMs, beyond }: Durations, share: number): number {
  const longest = valuesMs.at(-1) ?? 1;
  const within = share / (1 - beyond);
  if (within < 1) return valuesMs[Math.floor(within * valuesMs.length + rounding)] ?? longest;
  return longest * (1 + tail * Math.log(beyond / Math.max(1 - share, Number.EPSILON)));
}

/** Returns the share of all builds that do not exceed the duration. From 0 to 1. */
export function shareWithin({ valuesMs, beyond }: Durations, ms: number): number {
  const longest = valuesMs.at(-1) ?? 1;
  if (ms >= longest) return 1 - beyond * Math.exp(-(ms / longest - 1) / tail);
  const longer = valuesMs.findIndex((value) => value > ms);
  return (longer / valuesMs.length) * (1 - beyond);
}

/**
 * Returns how similar the durations of builds of the same pull request are, from 0 to 1. Each element of `builds`
 * contains the durations for one pull request, oldest first.
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
  // The shares of two unrelated builds differ by a third on average. If nothing is known, the estimate is one half.
  return Math.max(0, 1 - (3 * apart + unknownPairs / 2) / (pairs + unknownPairs));
}

const unknownPairs = 4;
