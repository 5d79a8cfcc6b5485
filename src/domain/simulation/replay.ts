// A history once more, under rules of one's choice: the planner decides anew, and what comes of it is counted.
import type { QueueRules } from '../queue/snapshot.ts';
import { simulate } from './engine.ts';
import type { Stay } from './history.ts';
import { plannerPolicy } from './planner-policy.ts';
import { quantile, rising } from './quantile.ts';
import { simulatedRules } from './simulated-rules.ts';
import type { Workload } from './workload.ts';

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
}

export interface ReplayOptions {
  readonly rules: QueueRules;
  /** Asked now and then; from then on nothing more is replayed. */
  readonly isOver: () => boolean;
}

export function replay(workload: Omit<Workload, 'assumptions'>, { rules, isOver }: ReplayOptions): Replayed {
  const { changes, truth, skipsLine } = workload;
  const run = simulate({ workers: Infinity, changes, truth, isOver }, () =>
    plannerPolicy({ rules: simulatedRules(rules), rowOf: ({ number }) => ({ skipLine: skipsLine.has(number) }) }),
  );
  const begin = changes[0]?.arrivedAt ?? 0;
  const landed = run.outcomes.filter(({ kind }) => kind === 'landed');
  return {
    ...tallyOf({
      waitsMs: landed.map(({ change, at }) => at - change.arrivedAt),
      builds: run.builds,
      ejected: run.outcomes.length - landed.length,
      spanMs: run.until - begin,
    }),
    ejectedUnjustly: run.ejectedUnjustly,
    red: run.red,
    composed: run.composed,
    until: run.until,
  };
}

/** What really was, counted alike. */
export function observe(stays: readonly Stay[], builds: number): Tally {
  const landed = stays.filter(({ end }) => end?.as === 'landed');
  const ends = stays.map(({ arrivedAt, end }) => end?.at ?? arrivedAt);
  return tallyOf({
    waitsMs: landed.map(({ arrivedAt, end }) => (end?.at ?? arrivedAt) - arrivedAt),
    builds,
    ejected: stays.filter(({ end }) => end?.as === 'failed').length,
    spanMs: ends.reduce((latest, at) => Math.max(latest, at), 0) - (stays[0]?.arrivedAt ?? 0),
  });
}

function tallyOf(of: {
  readonly waitsMs: readonly number[];
  readonly builds: number;
  readonly ejected: number;
  readonly spanMs: number;
}): Tally {
  const { builds, ejected } = of;
  const landed = of.waitsMs.length;
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
