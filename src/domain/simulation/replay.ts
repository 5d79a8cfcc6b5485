// Replays a history under chosen rules: the planner decides about the same arrivals, and the results are counted.
import type { QueueRules } from '../queue/model/rules.ts';
import { simulate, type Run } from './engine.ts';
import type { Stay } from './history.ts';
import { plannerPolicy } from './planner-policy.ts';
import type { Change } from './policy.ts';
import { quantile, sortAscending } from './quantile.ts';
import { simulatedRules } from './simulated-rules.ts';
import { segmentsOf, type ReplayWorkload } from './segments.ts';

/** Percentiles of the time from arrival to landing, in seconds, of the pull requests that landed. */
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
  /** The number of pull requests that were ejected for a failed build. */
  readonly ejected: number;
}

export interface ReplayResult extends Tally {
  /** Ejected pull requests that pass alone, according to the history. */
  readonly ejectedUnjustly: number;
  /** Commits on the base branch that are red, according to the history. */
  readonly red: number;
  /** Landings combined from separately tested parts. */
  readonly composed: number;
  /**
   * The simulated instant that the replay reached. It is before the end of the history if the time for the replay was
   * over.
   */
  readonly until: number;
  /** The number of replayed arrivals. If not all were replayed, the counts are scaled up to all arrivals. */
  readonly simulated: number;
  /** The number of segments that were replayed separately. 1 if the whole history was replayed. */
  readonly segments: number;
}

export interface ReplayOptions {
  readonly rules: QueueRules;
  /** Returns the share of the available time that has passed. The replay stops as soon as the share is 1 or more. */
  readonly spent: () => number;
  /** Called with the share of the replay that is done, from 0 to 1. The share never decreases. */
  readonly onProgress?: (share: number) => void;
}

/**
 * The replay decides only between these shares of the available time whether the whole history takes too long. Earlier,
 * too little has been replayed for an estimate. Later, too little time is left for segments.
 */
const judgedFrom = 0.05;
const judgedUntil = 0.5;

/** Replays the whole history. If this turns out to take too long, replays segments of the history instead. */
export function replay(workload: ReplayWorkload, { rules, spent, onProgress }: ReplayOptions): ReplayResult {
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
  const run = replayOnce(workload, rules, {
    isOver,
    onArrival: () => {
      arrived += 1;
      onProgress?.(arrived / changes.length);
    },
  });
  // The number of segments is not known in advance. So the progress after this point is measured by the time that has
  // passed.
  const reached = arrived / Math.max(1, changes.length);
  const onSegment = onProgress && (() => onProgress(reached + (1 - reached) * Math.min(1, spent())));
  if (isTooLong) return replaySegments(workload, { rules, spent }, onSegment);
  return countAll(changes, [{ run, isCounted: () => true, simulated: changes.length }]);
}

function replaySegments(
  workload: ReplayWorkload,
  { rules, spent }: ReplayOptions,
  onSegment: (() => void) | undefined,
): ReplayResult {
  const parts: ReplayedPart[] = [];
  for (const { workload: part, countedFrom, countedUntil } of segmentsOf(workload)) {
    const run = replayOnce(part, rules, { isOver: () => spent() >= 1 });
    onSegment?.();
    const isWhole = run.outcomes.length === part.changes.length;
    // A segment that was stopped by the time counts only if it is the first.
    if (!isWhole && parts.length > 0) break;
    const isCounted = ({ arrivedAt }: Change): boolean =>
      !isWhole || (arrivedAt >= countedFrom && arrivedAt < countedUntil);
    parts.push({ run, isCounted, simulated: isWhole ? part.changes.length : run.outcomes.length });
    if (!isWhole) break;
  }
  return countAll(workload.changes, parts);
}

function replayOnce(
  { changes, truth, skipsLine }: ReplayWorkload,
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

interface ReplayedPart {
  readonly run: Run;
  /** Returns whether the wait of a change is counted. */
  readonly isCounted: (change: Change) => boolean;
  readonly simulated: number;
}

function countAll(changes: readonly Change[], parts: readonly ReplayedPart[]): ReplayResult {
  const simulated = parts.reduce((sum, each) => sum + each.simulated, 0);
  const [first] = parts;
  const isWhole = parts.length === 1 && simulated === changes.length;
  const scale = isWhole || simulated === 0 ? 1 : changes.length / simulated;
  const sum = (count: (run: Run) => number): number =>
    Math.round(scale * parts.reduce((total, { run }) => total + count(run), 0));
  const until = Math.max(0, ...parts.map(({ run }) => run.until));
  const begin = changes[0]?.arrivedAt ?? 0;
  const end = isWhole ? (first?.run.until ?? begin) : (changes.at(-1)?.arrivedAt ?? begin);
  const waitsMs = parts.flatMap(({ run, isCounted }) =>
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
    segments: parts.length,
  };
}

/** Returns the tally of what really happened, counted in the same way as a replay. */
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
  const sorted = sortAscending(waitsMs);
  if (sorted.length === 0) return null;
  const seconds = (share: number): number => (quantile(sorted, share) ?? 0) / 1000;
  return { p50: seconds(0.5), p90: seconds(0.9), p95: seconds(0.95) };
}
