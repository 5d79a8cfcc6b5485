// Computes how long the line is on average at each hour of a week.

export interface Point {
  /** The instant, ISO 8601. */
  readonly at: string;
  readonly queued: number;
}

export interface Week {
  /**
   * Seven rows from Monday, each of 24 hours: how many were in line on average. Null: nothing is known of that hour.
   */
  readonly hours: readonly (readonly (number | null)[])[];
  readonly longest: { readonly weekday: number; readonly hour: number; readonly queued: number } | null;
}

/** The mean of each hour of a week, in the reader's own time zone. */
export function weekOf(points: readonly Point[]): Week {
  const sums = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => ({ total: 0, times: 0 })));
  for (const { at, queued } of points) {
    const instant = new Date(at);
    // Weeks begin on Monday.
    const sum = sums[(instant.getDay() + 6) % 7]?.[instant.getHours()];
    if (sum === undefined) continue;
    sum.total += queued;
    sum.times += 1;
  }
  const hours = sums.map((day) => day.map(({ total, times }) => (times === 0 ? null : total / times)));
  let longest: Week['longest'] = null;
  for (const [weekday, day] of hours.entries())
    for (const [hour, queued] of day.entries())
      if ((queued ?? 0) > (longest?.queued ?? 0)) longest = { weekday, hour, queued: queued ?? 0 };
  return { hours, longest };
}

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
