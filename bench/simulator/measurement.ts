// Measures a policy on a day, and averages over days.
import { simulate, type Run } from '../../src/domain/simulation/engine.ts';
import { quantile } from '../../src/domain/simulation/quantile.ts';
import { nameCell, type Cell } from './cell.ts';
import { referencePolicy, policies } from './policies/index.ts';
import { drawDay, type Day } from './workload.ts';

export interface Task extends Day {
  readonly cell: Cell;
  readonly policy: string;
}

/** Times are in minutes. The percentiles are of the waits of changes that landed. */
export interface Measurement {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
  readonly buildsPerChange: number;
  readonly landedPerHour: number;
  readonly red: number;
  /** The share of all changes that were ejected although they were good. */
  readonly ejectedUnjustly: number;
}

/**
 * The means over several days of a cell; `red` is a sum. Times are ratios to the times of the policy `referencePolicy`
 * on the same days.
 */
export interface Row {
  readonly policy: string;
  readonly cell: string;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly buildsPerChange: number;
  readonly landedPerHour: number;
  readonly red: number;
  readonly ejectedUnjustly: number;
}

export interface FullRow extends Row {
  /** The longest wait of a day, divided by the P99 of the same day, for the day with the largest such ratio. */
  readonly longest: number;
}

export function measureTask({ cell, policy, ...day }: Task): Measurement {
  const makePolicy = policies[policy];
  if (makePolicy === undefined)
    throw new Error(`There is no policy ${policy}. The policies are ${Object.keys(policies).join(', ')}.`);
  const setup = drawDay(cell, day);
  return measurementOf(simulate(setup, makePolicy), setup.changes.length);
}

function measurementOf(run: Run, changes: number): Measurement {
  const minute = 60_000;
  const waits = run.outcomes
    .flatMap(({ kind, at, change }) => (kind === 'landed' ? (at - change.arrivedAt) / minute : []))
    .sort((a, b) => a - b);
  const waited = (share: number): number => quantile(waits, share) ?? 0;
  const first = Math.min(...run.outcomes.map(({ change }) => change.arrivedAt));
  const hours = ((run.outcomes.at(-1)?.at ?? first) - first) / (60 * minute);
  return {
    p50: waited(0.5),
    p95: waited(0.95),
    p99: waited(0.99),
    longest: waits.at(-1) ?? 0,
    buildsPerChange: run.builds / changes,
    landedPerHour: waits.length / hours,
    red: run.red,
    ejectedUnjustly: run.ejectedUnjustly / changes,
  };
}

export interface MeasuredTask {
  readonly task: Task;
  readonly measurement: Measurement;
}

/** Returns a row for each policy and cell. A time is the mean of the ratios of the days. */
export function rowsOf(measured: readonly MeasuredTask[], shown: readonly string[]): FullRow[] {
  const measures = new Map(
    measured.flatMap(({ task, measurement }) =>
      task.policy === referencePolicy ? [[dayOf(task), measurement] as const] : [],
    ),
  );
  const groups = Map.groupBy(measured, ({ task }) => `${nameCell(task.cell)} ${task.policy}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || !shown.includes(first.task.policy)) return [];
    const mean = (of: (measurement: Measurement) => number): number =>
      rounded(group.reduce((sum, { measurement }) => sum + of(measurement), 0) / group.length);
    const ratio = (of: (measurement: Measurement) => number): number =>
      rounded(
        group.reduce(
          (sum, each) => sum + of(each.measurement) / of(measures.get(dayOf(each.task)) ?? each.measurement),
          0,
        ) / group.length,
      );
    return {
      policy: first.task.policy,
      cell: nameCell(first.task.cell),
      p50: ratio((of) => of.p50),
      p95: ratio((of) => of.p95),
      p99: ratio((of) => of.p99),
      buildsPerChange: mean((of) => of.buildsPerChange),
      landedPerHour: mean((of) => of.landedPerHour),
      red: group.reduce((sum, { measurement }) => sum + measurement.red, 0),
      ejectedUnjustly: mean((of) => of.ejectedUnjustly),
      longest: rounded(Math.max(...group.map(({ measurement }) => measurement.longest / measurement.p99))),
    };
  });
}

function dayOf({ cell, seed, changes, past }: Task): string {
  return `${nameCell(cell)} ${seed} ${changes} ${past}`;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
