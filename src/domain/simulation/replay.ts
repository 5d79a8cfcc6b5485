// Replays a history under chosen rules: the planner decides again, and the results are counted.
import type { QueueRules } from '../queue/model/rules.ts';
import { simulate, type Run } from './engine.ts';
import type { Stay } from './history.ts';
import { plannerPolicy } from './planner-policy.ts';
import type { Change } from './policy.ts';
import { quantile, rising } from './quantile.ts';
import { simulatedRules } from './simulated-rules.ts';
import { segmentsOf, type Replayable } from './segments.ts';

/** Times that pull requests waited, in seconds, over those that landed. */
export interface Waits {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
}

export interface Tally {
  /** Null: nothing landed. */
  readonly waits: Waits | null;
  readonly landed: number;
  readonly landedPerHour: number;
  readonly builds: number;
  /** Null: nothing landed. */
  readonly buildsPerLanding: number | null;
  /** Ejected from the queue for a failed build. */
  readonly ejected: number;
}

export interface Replayed extends Tally {
  /** Ejected pull requests that pass by themselves, as far as is known. */
  readonly ejectedUnjustly: number;
  /** Commits on the base that are red, as far as is known. */
  readonly red: number;
  /** Landings combined from separately tested parts. */
  readonly composed: number;
  /** The instant that the replay reached: the end, unless time ran out. */
  readonly until: number;
  /** The number of replayed arrivals. If a history is too long, counts are scaled up to all arrivals. */
  readonly simulated: number;
  /** The number of parts of the history that were replayed, each by itself. 1: the whole. */
  readonly segments: number;
}

export interface ReplayOptions {
  readonly rules: QueueRules;
  /** The share of the available time that has passed. From 1 on nothing more is replayed. */
  readonly spent: () => number;
  /** Told how far it is, from 0 to 1. It never goes back. */
  readonly onProgress?: (share: number) => void;
}

/**
 * Before this share of the time, the whole duration is not known. After it, the replay of the whole is not stopped for
 * its duration.
 */
const judgedFrom = 0.05;
const judgedUntil = 0.5;

/** Replays the whole history, or segments of it as soon as the whole turns out to take too long. */
export function replay(workload: Replayable, { rules, spent, onProgress }: ReplayOptions): Replayed {
  const { changes } = workload;
  const begin = spent();
  let arrived = 0;
  let isTooLong = false;
  const isOver = (): boolean => {
    const now = spent();
    const isJudged = now - begin > judgedFrom && now < judgedUntil;
    isTooLong ||= isJudged && (now - begin) / (1 - begin) > arrived / changes.length;
    return isTooLong || now >= 1;
  };
  const run = play(workload, rules, {
    isOver,
    onArrival: () => {
      arrived += 1;
      onProgress?.(arrived / changes.length);
    },
  });
  // For how many segments there is time is not known: the rest is done when the time has passed.
  const reached = arrived / Math.max(1, changes.length);
  const onSegment = onProgress && (() => onProgress(reached + (1 - reached) * Math.min(1, spent())));
  if (isTooLong) return replaySegments(workload, { rules, spent }, onSegment);
  return countAll(changes, [{ run, isCounted: () => true, simulated: changes.length }]);
}

function replaySegments(
  workload: Replayable,
  { rules, spent }: ReplayOptions,
  onSegment: (() => void) | undefined,
): Replayed {
  const played: Played[] = [];
  for (const { workload: part, countedFrom, countedUntil } of segmentsOf(workload)) {
    const run = play(part, rules, { isOver: () => spent() >= 1 });
    onSegment?.();
    const isWhole = run.outcomes.length === part.changes.length;
    // The last segment is incomplete, and counts only if there is no other.
    if (!isWhole && played.length > 0) break;
    const isCounted = ({ arrivedAt }: Change): boolean =>
      !isWhole || (arrivedAt >= countedFrom && arrivedAt < countedUntil);
    played.push({ run, isCounted, simulated: isWhole ? part.changes.length : run.outcomes.length });
    if (!isWhole) break;
  }
  return countAll(workload.changes, played);
}

function play(
  { changes, truth, skipsLine }: Replayable,
  rules: QueueRules,
  of: { readonly isOver: () => boolean; readonly onArrival?: () => void },
): Run {
  const rowOf = ({ number }: Change): { readonly skipLine: boolean } => {
    of.onArrival?.();
    return { skipLine: skipsLine.has(number) };
  };
  return simulate({ workers: Infinity, changes, truth, isOver: of.isOver }, () =>
    plannerPolicy({ rules: simulatedRules(rules), rowOf }),
  );
}

interface Played {
  readonly run: Run;
  /** Whether the wait of a change is counted. */
  readonly isCounted: (change: Change) => boolean;
  readonly simulated: number;
}

function countAll(changes: readonly Change[], played: readonly Played[]): Replayed {
  const simulated = played.reduce((sum, each) => sum + each.simulated, 0);
  const [only] = played;
  const isWhole = played.length === 1 && simulated === changes.length;
  const scale = isWhole || simulated === 0 ? 1 : changes.length / simulated;
  const sum = (count: (run: Run) => number): number =>
    Math.round(scale * played.reduce((total, { run }) => total + count(run), 0));
  const until = Math.max(0, ...played.map(({ run }) => run.until));
  const begin = changes[0]?.arrivedAt ?? 0;
  const end = isWhole ? (only?.run.until ?? begin) : (changes.at(-1)?.arrivedAt ?? begin);
  const waitsMs = played.flatMap(({ run, isCounted }) =>
    run.outcomes.flatMap(({ change, at, kind }) =>
      kind === 'landed' && isCounted(change) ? [at - change.arrivedAt] : [],
    ),
  );
  return {
    ...tallyOf({
      waitsMs,
      landed: sum(({ outcomes }) => outcomes.filter(({ kind }) => kind === 'landed').length),
      builds: sum(({ builds }) => builds),
      ejected: sum(({ outcomes }) => outcomes.filter(({ kind }) => kind === 'ejected').length),
      spanMs: end - begin,
    }),
    ejectedUnjustly: sum(({ ejectedUnjustly }) => ejectedUnjustly),
    red: sum(({ red }) => red),
    composed: sum(({ composed }) => composed),
    until,
    simulated,
    segments: played.length,
  };
}

/** The tally of the real history, counted in the same way. */
export function observe(stays: readonly Stay[], builds: number): Tally {
  const landed = stays.filter(({ end }) => end?.as === 'landed');
  const ends = stays.map(({ arrivedAt, end }) => end?.at ?? arrivedAt);
  return tallyOf({
    waitsMs: landed.map(({ arrivedAt, end }) => (end?.at ?? arrivedAt) - arrivedAt),
    landed: landed.length,
    builds,
    ejected: stays.filter(({ end }) => end?.as === 'failed').length,
    spanMs: ends.reduce((latest, at) => Math.max(latest, at), 0) - (stays[0]?.arrivedAt ?? 0),
  });
}

function tallyOf(of: {
  readonly waitsMs: readonly number[];
  readonly landed: number;
  readonly builds: number;
  readonly ejected: number;
  readonly spanMs: number;
}): Tally {
  const { landed, builds, ejected } = of;
  return {
    waits: waitsOf(of.waitsMs),
    landed,
    landedPerHour: of.spanMs <= 0 ? 0 : (landed * 3_600_000) / of.spanMs,
    builds,
    buildsPerLanding: landed === 0 ? null : builds / landed,
    ejected,
  };
}

function waitsOf(waitsMs: readonly number[]): Waits | null {
  const sorted = rising(waitsMs);
  if (sorted.length === 0) return null;
  const seconds = (share: number): number => (quantile(sorted, share) ?? 0) / 1000;
  return { p50: seconds(0.5), p90: seconds(0.9), p95: seconds(0.95) };
}
