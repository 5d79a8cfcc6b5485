// A history once more, under rules of one's choice: the planner decides anew, and what comes of it is counted.
import type { QueueRules } from '../queue/model/snapshot.ts';
import { simulate, type Run } from './engine.ts';
import type { Stay } from './history.ts';
import { plannerPolicy } from './planner-policy.ts';
import type { Change } from './policy.ts';
import { quantile, rising } from './quantile.ts';
import { simulatedRules } from './simulated-rules.ts';
import { stretchesOf, type Replayable } from './stretches.ts';

/** In seconds, of those that landed. */
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
  /** Out of the queue for a failed build. */
  readonly ejected: number;
}

export interface Replayed extends Tally {
  /** Of the ejected, those that pass by themselves as far as is known. */
  readonly ejectedUnjustly: number;
  /** Commits on the base that are red as far as is known. */
  readonly red: number;
  /** Landings put together from parts that were tested apart. */
  readonly composed: number;
  /** How far it came: all of it, unless time ran out. */
  readonly until: number;
  /** Arrivals that were replayed. Of a history too long for all of them, counts are scaled up to all. */
  readonly simulated: number;
  /** Parts of the history that were replayed, each by itself. 1: the whole. */
  readonly stretches: number;
}

export interface ReplayOptions {
  readonly rules: QueueRules;
  /** Which share of the time there is for it has passed; from 1 on nothing more is replayed. */
  readonly spent: () => number;
}

/** Before so much of the time has passed it is not known how long the whole takes; after, it is not broken off for that. */
const judgedFrom = 0.05;
const judgedUntil = 0.5;

/** The whole history or, as soon as it is seen to take too long, stretches of it. */
export function replay(workload: Replayable, { rules, spent }: ReplayOptions): Replayed {
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
    },
  });
  if (isTooLong) return replayStretches(workload, { rules, spent });
  return countAll(changes, [{ run, isCounted: () => true, simulated: changes.length }]);
}

function replayStretches(workload: Replayable, { rules, spent }: ReplayOptions): Replayed {
  const played: Played[] = [];
  for (const { workload: part, countedFrom, countedUntil } of stretchesOf(workload)) {
    const run = play(part, rules, { isOver: () => spent() >= 1 });
    const isWhole = run.outcomes.length === part.changes.length;
    // The last one is cut short: it counts only where there is no other.
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
  /** Whose waits count. */
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
    stretches: played.length,
  };
}

/** What really was, counted alike. */
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
