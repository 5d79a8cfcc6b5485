// Measures a policy on a day, and averages over days.
import { plannerVersion } from '../../src/domain/queue/plan.ts';
import { simulate, type Run } from '../../src/domain/simulation/engine.ts';
import { quantile } from '../../src/domain/simulation/quantile.ts';
import type { Cell } from './cell.ts';
import { interlock } from './policies/interlock.ts';
import { policies } from './policies/index.ts';
import { TailRecorder, type Tail } from './tail.ts';
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
  /** Only for `interlock`. */
  readonly tail?: Tail;
  /** The version of the planner's rules. Only for policies that are our planner. */
  readonly plannerVersion?: number;
}

/** Times are ratios to the times of the policy `referencePolicy` on the same days. */
export interface Figures {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly buildsPerChange: number;
}

/** The means over several days of a cell; `red` is a sum. */
export interface Row extends Figures {
  readonly policy: string;
  readonly cell: string;
  /** The number of days. */
  readonly days: number;
  /** For each figure, its largest value on any of the days. */
  readonly worst: Figures;
  readonly landedPerHour: number;
  readonly red: number;
  readonly ejectedUnjustly: number;
  /** The longest wait of a day, divided by the P99 of the same day, for the day with the largest such ratio. */
  readonly longest: number;
  /** The means of `interlock` over the days of this row. Null: `interlock` did not run on all of these days. */
  readonly interlock: Figures | null;
  /** The sum over the days. Only for `interlock`. */
  readonly tail?: Tail;
  /** The versions of the planner's rules on these days, the oldest first. Only for policies that are our planner. */
  readonly plannerVersions?: readonly number[];
}

export function measureTask({ cell, policy, ...day }: Task): Measurement {
  const makePolicy = policies[policy];
  if (makePolicy === undefined)
    throw new Error(`There is no policy ${policy}. The policies are ${Object.keys(policies).join(', ')}.`);
  const setup = drawDay(cell, day);
  const version = policy.startsWith('interlock') && { plannerVersion };
  if (makePolicy !== interlock)
    return { ...measurementOf(simulate(setup, makePolicy), setup.changes.length), ...version };
  const recorder = new TailRecorder();
  const run = simulate(setup, () => recorder.watch(interlock(setup, recorder.onPlan)));
  return {
    ...measurementOf(run, setup.changes.length),
    tail: recorder.tailOf(run.outcomes, setup.workers),
    ...version,
  };
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
