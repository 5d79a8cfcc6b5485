// When landings may happen: a pure function of the windows and an instant. A window opens at each start and closes at the
// first end after it, so one may be longer than the time between two starts. Several windows are open together: one is enough.
import type { Cron } from 'croner';
import { calendar, next } from './cron.ts';
import { matchesBranch } from './managed-branch.ts';
import type { Configuration } from './keys.ts';

type MergeWindow = Configuration['merge_rules']['merge_windows'][number];

export interface LandingWindow {
  readonly isOpen: boolean;
  /** When that changes. Null: never. */
  readonly changesAt: number | null;
}

// Overlapping windows may take turns for long, so that something is always open.
const mostHandovers = 100;

/** Without a window for the branch it is always open. */
export function landingWindow(configuration: Configuration, baseBranch: string, now: number): LandingWindow {
  const windows = configuration.merge_rules.merge_windows.filter(
    ({ base_branches: names }) => !names?.length || names.some((name) => matchesBranch(name, baseBranch)),
  );
  if (windows.length === 0) return { isOpen: true, changesAt: null };
  const isOpen = windows.some((window) => isOpenAt(window, now));
  return {
    isOpen,
    changesAt: isOpen ? closing(windows, now) : earliest(windows.map((window) => opening(window, now))),
  };
}

/** When a landing that is kept back now may happen. Null: now; `Infinity`: never. */
export function landingsFrom(configuration: Configuration, baseBranch: string, now: number): number | null {
  const { isOpen, changesAt } = landingWindow(configuration, baseBranch, now);
  return isOpen ? null : (changesAt ?? Infinity);
}

function isOpenAt({ cron_start, cron_end, timezone }: MergeWindow, at: number): boolean {
  const start = calendar(cron_start, timezone);
  const opened = latest(start, at);
  const closed = latest(calendar(cron_end, timezone), at);
  if (opened === null) return false;
  if (closed === null || opened > closed) return true;
  // Both at once: the next one opens as the last one closes, unless the clock was put forward over the whole window.
  return opened === closed && start.match(new Date(opened));
}

function opening({ cron_start, timezone }: MergeWindow, at: number): number | null {
  return next(calendar(cron_start, timezone), at);
}

function closing(windows: readonly MergeWindow[], now: number): number | null {
  let at = now;
  for (let handover = 0; handover < mostHandovers; handover += 1) {
    const open = windows.filter((window) => isOpenAt(window, at));
    if (open.length === 0) return at;
    const ends = open.map(({ cron_end, timezone }) => next(calendar(cron_end, timezone), at));
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
