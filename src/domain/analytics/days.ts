// Days of a time zone, as instants. A day is every instant with the same local date. It begins at the first of them,
// which is not always midnight, and has 23, 24 or 25 hours (none if a zone crossed the date line).
import { DomainError } from '../errors.ts';

/** `YYYY-MM-DD`. */
export type LocalDate = string;

export interface Day {
  readonly date: LocalDate;
  readonly startsAt: Date;
  /** Start of the next day. */
  readonly endsAt: Date;
}

export interface DaysAsked {
  readonly start?: LocalDate | null | undefined;
  readonly end?: LocalDate | null | undefined;
}

export const maxDays = 366;
const defaultDays = 30;
const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;

/** The names of three letters in the IANA database. The others that JavaScript knows, such as JST, are abbreviations. */
const shortNames = /^(?:CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$/i;

/** A name of the IANA database. Offsets such as `+02:00` are not accepted. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || /^SystemV\//i.test(name)) return false;
  if (name.length === 3 && !shortNames.test(name)) return false;
  try {
    return clockOf(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The name of a zone by which PostgreSQL finds the same zone. For PostgreSQL, names such as `CET` are abbreviations of
 * an offset without summer time.
 */
export function canonicalTimeZone(name: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
}

/** Throws BAD_INPUT for a start after the end, and for more than 366 days (interface 4.6). */
export function decideDays(asked: DaysAsked, timezone: string, now: Date): Day[] {
  const local = clockOf(timezone);
  const end = asked.end ?? local(now.getTime()).slice(0, 10);
  const start = asked.start ?? addDays(end, 1 - defaultDays);
  if (start > end) throw new DomainError('BAD_INPUT', 'start must not be after end', 'start');
  const count = (midnightUtc(end) - midnightUtc(start)) / dayMs + 1;
  if (count > maxDays) throw new DomainError('BAD_INPUT', `start and end must span at most ${maxDays} days`, 'start');
  const days: Day[] = [];
  let startsAt = firstInstantOf(start, local);
  for (let n = 0; n < count; n += 1) {
    const next = addDays(start, n + 1);
    // Nearly always the next day begins at the same local time.
    const usual = startsAt + dayMs;
    const endsAt = local(usual) === `${next} 00:00` ? usual : firstInstantOf(next, local);
    days.push({ date: addDays(start, n), startsAt: new Date(startsAt), endsAt: new Date(endsAt) });
    startsAt = endsAt;
  }
  return days;
}

type LocalClock = (instantMs: number) => string;

// The Swedish locale writes dates and times as ISO 8601 does, so that the texts sort by time.
function clockOf(timeZone: string): LocalClock {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (instantMs) => format.format(instantMs);
}

// No zone is more than 15 hours from UTC, and every clock change is at a quarter of an hour.
function firstInstantOf(date: LocalDate, local: LocalClock): number {
  const middle = midnightUtc(date);
  let before = middle - 15 * 60 * minuteMs;
  let after = middle + 15 * 60 * minuteMs;
  while (after - before > quarterMs) {
    const between = before + Math.floor((after - before) / quarterMs / 2) * quarterMs;
    if (local(between) >= date) after = between;
    else before = between;
  }
  return after;
}

function addDays(date: LocalDate, days: number): LocalDate {
  return new Date(midnightUtc(date) + days * dayMs).toISOString().slice(0, 10);
}

function midnightUtc(date: LocalDate): number {
  return Date.parse(`${date}T00:00:00Z`);
}
