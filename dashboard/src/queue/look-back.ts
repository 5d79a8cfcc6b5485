// Decides which moment is shown when the user goes through the past by dragging or with the arrow keys.

export interface Moment {
  readonly at: string;
  readonly queued: number;
  readonly landings: number;
  readonly resets: number;
}

export interface Step {
  /** The instant that is shown, in milliseconds. */
  readonly shown: number;
  /** The first and the last instant that can be shown. */
  readonly from: number;
  readonly to: number;
  /** -1 is towards the past. */
  readonly by: -1 | 1;
  /** Whether the step is ten minutes. If false, the step goes to the next moment at which something happened. */
  readonly isLong: boolean;
}

const longStepMs = 600_000;
const minuteMs = 60_000;

/** Decides the span of time in the chart, in milliseconds. It is three hours, or less if the repository is younger. */
export function decideSpan(createdAt: number, now: number): number {
  const minutes = [15, 60].find((one) => now - createdAt < one * minuteMs) ?? 180;
  return minutes * minuteMs;
}

/** The clock of a page may be ahead of the server's clock by less than this. */
const maxClockErrorMs = 2_000;

/**
 * Returns the moment of the past that is shown for a place in the chart, in milliseconds. Null: the present is shown.
 * The chart ends with the present minute, so its last places are in the future.
 */
export function decideMoment(
  instant: number,
  { now, stepMs }: { readonly now: number; readonly stepMs: number },
): number | null {
  return instant >= now - Math.max(stepMs / 2, maxClockErrorMs) ? null : instant;
}

/** Whether the depth changed at this moment, something landed, or the queue was reset. */
function isEventful(moment: Moment, before: Moment | undefined): boolean {
  return moment.landings > 0 || moment.resets > 0 || (before !== undefined && before.queued !== moment.queued);
}

/** Returns the instant after the step, in milliseconds. `moments` has the moments of the window, the oldest first. */
export function takeStep({ shown, from, to, by, isLong }: Step, moments: readonly Moment[]): number {
  const within = (instant: number): number => Math.min(to, Math.max(from, instant));
  if (isLong) return within(shown + by * longStepMs);
  const eventful = moments
    .filter((moment, index) => isEventful(moment, moments[index - 1]))
    .map(({ at }) => Date.parse(at));
  const next = by < 0 ? eventful.findLast((at) => at < shown) : eventful.find((at) => at > shown);
  return within(next ?? (by < 0 ? from : to));
}
