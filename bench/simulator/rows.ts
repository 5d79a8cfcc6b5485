// Averages the measurements of several days of a cell.
import { nameCell } from './cell.ts';
import type { Figures, Measurement, Row, Task } from './measurement.ts';
import { referencePolicy } from './policies/index.ts';
import { tailCauses, type Tail, type TailCause } from './tail.ts';

export interface MeasuredTask {
  readonly task: Task;
  readonly measurement: Measurement;
}

/** Returns a row for each policy and cell. A time is the mean of the ratios of the days. */
export function rowsOf(measured: readonly MeasuredTask[], shown: readonly string[]): Row[] {
  const byDay = new Map(measured.map(({ task, measurement }) => [`${dayOf(task)} ${task.policy}`, measurement]));
  const ratiosOf = (task: Task, policy = task.policy): Figures | null => {
    const own = byDay.get(`${dayOf(task)} ${policy}`);
    const reference = byDay.get(`${dayOf(task)} ${referencePolicy}`);
    return own === undefined || reference === undefined ? null : ratios(own, reference);
  };
  const complete = measured.filter(({ task }) => shown.includes(task.policy) && ratiosOf(task) !== null);
  const groups = Map.groupBy(complete, ({ task }) => `${nameCell(task.cell)} ${task.policy}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const days = group.flatMap(({ task }) => ratiosOf(task) ?? []);
    const ours = group.flatMap(({ task }) => ratiosOf(task, 'interlock') ?? []);
    const tails = group.flatMap(({ measurement }) => measurement.tail ?? []);
    const versions = [...new Set(group.flatMap(({ measurement }) => measurement.plannerVersion ?? []))];
    const meanOf = (of: (measurement: Measurement) => number): number =>
      rounded(group.reduce((sum, { measurement }) => sum + of(measurement), 0) / group.length);
    return {
      policy: first.task.policy,
      cell: nameCell(first.task.cell),
      days: group.length,
      ...combined(days, (values) => values.reduce((sum, value) => sum + value, 0) / values.length),
      worst: combined(days, (values) => Math.max(...values)),
      landedPerHour: meanOf((of) => of.landedPerHour),
      red: group.reduce((sum, { measurement }) => sum + measurement.red, 0),
      ejectedUnjustly: meanOf((of) => of.ejectedUnjustly),
      longest: rounded(Math.max(...group.map(({ measurement }) => measurement.longest / measurement.p99))),
      interlock:
        ours.length < group.length
          ? null
          : combined(ours, (values) => values.reduce((sum, value) => sum + value, 0) / values.length),
      ...(tails.length > 0 && { tail: sumOf(tails) }),
      ...(versions.length > 0 && { plannerVersions: versions.toSorted((a, b) => a - b) }),
    };
  });
}

function ratios(own: Measurement, reference: Measurement): Figures {
  return {
    p50: own.p50 / reference.p50,
    p95: own.p95 / reference.p95,
    p99: own.p99 / reference.p99,
    buildsPerChange: own.buildsPerChange,
  };
}

function combined(days: readonly Figures[], combine: (values: readonly number[]) => number): Figures {
  const of = (figure: keyof Figures): number => rounded(combine(days.map((day) => day[figure])));
  return { p50: of('p50'), p95: of('p95'), p99: of('p99'), buildsPerChange: of('buildsPerChange') };
}

function sumOf(tails: readonly Tail[]): Tail {
  const causes = Object.keys(tailCauses) as TailCause[];
  return {
    changes: tails.reduce((sum, tail) => sum + tail.changes, 0),
    moved: tails.reduce((sum, tail) => sum + tail.moved, 0),
    minutes: Object.fromEntries(
      causes.map((cause) => [cause, tails.reduce((sum, tail) => sum + tail.minutes[cause], 0)]),
    ) as Record<TailCause, number>,
  };
}

export function dayOf({ cell, seed, changes, past }: Task): string {
  return `${nameCell(cell)} ${seed} ${changes} ${past}`;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
