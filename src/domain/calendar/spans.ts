// Time spans of merge windows and freezes: pure functions of the spans and an instant. A recurring span begins at each
// start and lasts until the first end after it, so it may be longer than the time between two starts. A set of spans is
// active while at least one of them is.
import type { Cron } from 'croner';
import { findNextRun, parseCron } from './cron.ts';

/** A recurring span: two cron expressions of five fields, in the local time of a time zone. */
export interface RecurringSpan {
  readonly cronStart: string;
  readonly cronEnd: string;
  readonly timezone: string;
}

/** A single span, in milliseconds since the epoch. Without an end it lasts for ever. */
export interface SingleSpan {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

export type Span = RecurringSpan | SingleSpan;

export interface SpansAt {
  readonly isWithin: boolean;
  /** When the spans become active or inactive next. Null: never, or after `activeUntil`. */
  readonly changesAt: number | null;
  /**
   * Null unless so many spans follow one another that their end is not computed. Otherwise an instant until which they
   * stay active. They may end at this instant or later.
   */
  readonly activeUntil: number | null;
}

// Spans may follow one another for a long time or for ever, so that one is always active. Each handover takes about a
// millisecond to compute, and every turn of a queue computes them.
const maxHandovers = 50;

export function spansAt(spans: readonly Span[], at: number): SpansAt {
  const within = spans.some((span) => isWithin(span, at));
  if (within) return { isWithin: true, ...endOfAll(spans, at) };
  return { isWithin: false, changesAt: earliest(spans.map((span) => startOf(span, at))), activeUntil: null };
}

/** The first instant belongs to the span, the last one does not. */
export function isWithin(span: Span, at: number): boolean {
  if (isSingle(span)) return span.startsAt <= at && (span.endsAt === null || at < span.endsAt);
  const start = parseCron(span.cronStart, span.timezone);
  const began = latest(start, at);
  const ended = latest(parseCron(span.cronEnd, span.timezone), at);
  if (began === null) return false;
  if (ended === null || began > ended) return true;
  // If start and end are at the same instant, the next span begins as the last one ends, unless the clock was put
  // forward over the whole span.
  return began === ended && start.match(new Date(began));
}

/** When an active span ends next. Null: never. */
export function endOf(span: Span, at: number): number | null {
  return isSingle(span) ? span.endsAt : findNextRun(parseCron(span.cronEnd, span.timezone), at);
}

function startOf(span: Span, at: number): number | null {
  if (isSingle(span)) return span.startsAt > at ? span.startsAt : null;
  return findNextRun(parseCron(span.cronStart, span.timezone), at);
}

function isSingle(span: Span): span is SingleSpan {
  return 'startsAt' in span;
}

function endOfAll(spans: readonly Span[], from: number): Omit<SpansAt, 'isWithin'> {
  let at = from;
  for (let handover = 0; handover < maxHandovers; handover += 1) {
    const holding = spans.filter((span) => isWithin(span, at));
    if (holding.length === 0) return { changesAt: at, activeUntil: null };
    const ends = holding.map((span) => endOf(span, at));
    if (ends.includes(null)) return { changesAt: null, activeUntil: null };
    at = Math.max(...ends.map(Number));
  }
  return { changesAt: null, activeUntil: at };
}

function latest(cron: Cron, at: number): number | null {
  // The runs before the next millisecond include the instant itself.
  return cron.previousRuns(1, new Date(at + 1))[0]?.getTime() ?? null;
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
}
