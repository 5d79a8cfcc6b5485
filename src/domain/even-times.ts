// Spreads repeated work of many rows evenly over the time between two repetitions.

/** The fraction of the golden ratio. Its multiples, without their whole parts, are spread evenly over 0 to 1. */
const golden = (Math.sqrt(5) - 1) / 2;

/**
 * When work is due again: after the pause, or up to a quarter of the pause earlier. So rows whose work began at the
 * same instant come step by step to instants of their own. A row that has come to its instant keeps it. `id` is the
 * number of the row.
 */
export function nextTime(id: string, now: number, pauseMs: number): number {
  const own = ((Number(id) * golden) % 1) * pauseMs;
  const sinceOwn = (((now - own) % pauseMs) + pauseMs) % pauseMs;
  return now + pauseMs - Math.min(sinceOwn, pauseMs / 4);
}
