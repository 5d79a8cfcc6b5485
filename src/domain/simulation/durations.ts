// How long builds take, learned from those that ended and those that were stopped: of these it is known that they would
// have taken longer. Who left them out would take builds for short, as the long ones are stopped most.

export interface PastDuration {
  readonly lastedMs: number;
  /** Stopped, or still running: it takes longer than that. */
  readonly hasEnded: boolean;
}

/** So many values of equal weight, and what may come beyond the last one. Plain data. */
export interface Durations {
  /** In rising order. Not empty. */
  readonly valuesMs: readonly number[];
  /** How likely the next one takes longer than the last of them. More than 0. */
  readonly beyond: number;
}

const mostValues = 400;
/** Beyond the longest that was seen a build takes a quarter longer on average, and the longer, the less likely. */
const tail = 1 / 4;

/** Kaplan and Meier's estimate. Null: none has ended. */
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

/** `share` of all builds take no longer. */
export function durationAt({ valuesMs, beyond }: Durations, share: number): number {
  const longest = valuesMs.at(-1) ?? 1;
  const within = share / (1 - beyond);
  if (within < 1) return valuesMs[Math.floor(within * valuesMs.length + rounding)] ?? longest;
  return longest * (1 + tail * Math.log(beyond / Math.max(1 - share, Number.EPSILON)));
}

/** Which share of all builds takes no longer: less than 1. */
export function shareWithin({ valuesMs, beyond }: Durations, ms: number): number {
  const longest = valuesMs.at(-1) ?? 1;
  if (ms >= longest) return 1 - beyond * Math.exp(-(ms / longest - 1) / tail);
  const longer = valuesMs.findIndex((value) => value > ms);
  return (longer / valuesMs.length) * (1 - beyond);
}

/** Between 0 and 1: how much alike builds of one pull request take, each given by its builds, oldest first. */
export function steadinessOf(durations: Durations, builds: Iterable<readonly number[]>): number {
  let [apart, pairs] = [0, 0];
  for (const each of builds)
    for (const [place, ms] of each.entries()) {
      const before = each[place - 1];
      if (before === undefined) continue;
      apart += Math.abs(shareWithin(durations, ms) - shareWithin(durations, before));
      pairs += 1;
    }
  // Two that have nothing to do with one another are a third apart on average. Nothing known: half of each.
  return Math.max(0, 1 - (3 * apart + unknownPairs / 2) / (pairs + unknownPairs));
}

const unknownPairs = 4;
