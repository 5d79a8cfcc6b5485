// Stretches of time, which merge windows and freezes are made of: pure functions of the spans and an instant. One that
// comes again begins at each start and ends with the first end after it, so one may be longer than the time between two
// starts. Several of them hold together: one is enough.
import type { Cron } from 'croner';
import { calendar, next } from './cron.ts';

/** Comes again: five fields each, by the clock on the wall of a time zone. */
export interface RecurringSpan {
  readonly cronStart: string;
  readonly cronEnd: string;
  readonly timezone: string;
}

/** Comes once. Milliseconds since the epoch; without an end it lasts. */
export interface SingleSpan {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

export type Span = RecurringSpan | SingleSpan;

export interface SpansAt {
  readonly isWithin: boolean;
  /** When that changes. Null: never. */
  readonly changesAt: number | null;
}

// Overlapping spans may take turns for long, so that there is always one.
const mostHandovers = 50;

export function spansAt(spans: readonly Span[], at: number): SpansAt {
  const within = spans.some((span) => isWithin(span, at));
  return {
    isWithin: within,
    changesAt: within ? endOfAll(spans, at) : earliest(spans.map((span) => startOf(span, at))),
  };
}

/** Its first instant belongs to it, its last one does not. */
export function isWithin(span: Span, at: number): boolean {
  if (isSingle(span)) return span.startsAt <= at && (span.endsAt === null || at < span.endsAt);
  const start = calendar(span.cronStart, span.timezone);
  const began = latest(start, at);
  const ended = latest(calendar(span.cronEnd, span.timezone), at);
  if (began === null) return false;
  if (ended === null || began > ended) return true;
  // Both at once: the next one begins as the last one ends, unless the clock was put forward over the whole span.
  return began === ended && start.match(new Date(began));
}

/** When one that holds ends next. Null: never. */
export function endOf(span: Span, at: number): number | null {
  return isSingle(span) ? span.endsAt : next(calendar(span.cronEnd, span.timezone), at);
}

function startOf(span: Span, at: number): number | null {
  if (isSingle(span)) return span.startsAt > at ? span.startsAt : null;
  return next(calendar(span.cronStart, span.timezone), at);
}

function isSingle(span: Span): span is SingleSpan {
  return 'startsAt' in span;
}

function endOfAll(spans: readonly Span[], from: number): number | null {
  let at = from;
  for (let handover = 0; handover < mostHandovers; handover += 1) {
    const holding = spans.filter((span) => isWithin(span, at));
    if (holding.length === 0) return at;
    const ends = holding.map((span) => endOf(span, at));
    if (ends.includes(null)) return null;
    at = Math.max(...ends.map(Number));
  }
  return null;
}

function latest(calendarOf: Cron, at: number): number | null {
  // Of the runs before an instant, and the instant itself is one of them.
  return calendarOf.previousRuns(1, new Date(at + 1))[0]?.getTime() ?? null;
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
}
