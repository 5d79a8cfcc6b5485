// Shows instants and durations as text. The title of each <time> has the whole instant, in the reader's zone and in UTC.
import type { ReactNode } from 'react';
import { useNow } from './clock.ts';
import { clockTime } from './labels.ts';

const dayAndTime = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const inFull = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const dayMs = 24 * 60 * 60 * 1000;

/** An instant as hours and minutes, and with the day if it is not today. */
export function describeInstant(instant: string | number, now: number): string {
  const at = new Date(instant);
  const isNear = Math.abs(at.getTime() - now) < dayMs / 2 || at.toDateString() === new Date(now).toDateString();
  return (isNear ? clockTime : dayAndTime).format(at);
}

/** `45 s`, `12 min`, `3 h`, `2 days`. */
export function describeDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 120) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

function titleOf(instant: string | number): string {
  const at = new Date(instant);
  return `${inFull.format(at)} (${at.toISOString()})`;
}

interface InstantProps {
  readonly at: string | number;
}

interface AgeProps extends InstantProps {
  /** The moment that is shown. Null or not given: now. */
  readonly shownAt?: string | null;
}

/** The duration of a step or a check. Below ten seconds it has tenths, as in `0.4 s`. */
export function describeRunTime(ms: number): string {
  if (ms < 50) return 'under 0.1 s';
  return ms < 9_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : describeDuration(ms);
}

function useMoment(shownAt: string | null): number {
  const now = useNow();
  return shownAt === null ? now : Date.parse(shownAt);
}

/** `14:38`, or with the day if it is not today. */
export function At({ at }: InstantProps): ReactNode {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={titleOf(at)}>
      {describeInstant(at, now)}
    </time>
  );
}

/** `3 min ago`. */
export function Ago({ at, shownAt = null }: AgeProps): ReactNode {
  const now = useMoment(shownAt);
  return (
    <time dateTime={new Date(at).toISOString()} title={titleOf(at)}>
      {describeDuration(now - new Date(at).getTime())} {shownAt === null ? 'ago' : 'earlier'}
    </time>
  );
}

/** `for 3 min`. */
export function Since({ at, shownAt = null }: AgeProps): ReactNode {
  const now = useMoment(shownAt);
  return (
    <time dateTime={new Date(at).toISOString()} title={titleOf(at)}>
      for {describeDuration(now - new Date(at).getTime())}
    </time>
  );
}
