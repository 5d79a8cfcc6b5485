// The charts of builds: how long they took, which checks failed, and how good the estimates of landings were.
import type { ReactNode } from 'react';
import { count } from '../design/labels.ts';
import { describeDuration } from '../design/time.tsx';
import { Chart, Counted, sum, Table, type Analytics } from './chart-frame.tsx';
import type { Series } from './charts.tsx';

const minutesIn = [
  ['minutesLanded', 'landed', 'var(--green-f)'],
  ['minutesFailed', 'failed', 'var(--red-f)'],
  ['minutesReset', 'stopped, as the line changed', 'var(--none)'],
] as const;

export function BuildTime({
  builds,
  landed,
  isTable,
}: {
  readonly builds: Analytics['builds'];
  /** Pull requests that the queue landed in this time. */
  readonly landed: number;
  readonly isTable: boolean;
}): ReactNode {
  const all = sum(builds.map((day) => day.builds));
  const minutes = sum(builds.flatMap((day) => minutesIn.map(([key]) => day[key])));
  const lost = minutes - sum(builds.map((day) => day.minutesLanded));
  const share = minutes === 0 ? 0 : Math.round((100 * lost) / minutes);
  const series: Series = {
    dates: builds.map(({ date }) => date),
    parts: minutesIn.map(([key, name, colour]) => ({ name, colour, values: builds.map((day) => day[key]) })),
  };
  return (
    <Chart
      title="Build time"
      figure={all === 0 ? null : describeDuration(minutes * 60_000)}
      about={
        all === 0
          ? 'No build ended in this time.'
          : `in ${count(all, 'build')}${landed > 0 ? `, ${(all / landed).toFixed(2)} per landed pull request` : ''}; ${share} % did not land`
      }
    >
      <Counted series={series} isTable={isTable} textOf={(value) => describeDuration(value * 60_000)} />
    </Chart>
  );
}

/** Shows how many pull requests landed by the time of their first estimate. */
export function EtaAccuracy({
  days,
  isTable,
}: {
  readonly days: Analytics['etaAccuracy'];
  readonly isTable: boolean;
}): ReactNode {
  const estimated = sum(days.map((day) => day.estimated));
  const byP90 = sum(days.map((day) => day.byP90));
  const series: Series = {
    dates: days.map(({ date }) => date),
    parts: [
      { name: 'by the p50', colour: 'var(--green-f)', values: days.map((day) => day.byP50) },
      { name: 'by the p90', colour: 'var(--blue-f)', values: days.map((day) => day.byP90 - day.byP50) },
      { name: 'later', colour: 'var(--amber-f)', values: days.map((day) => day.estimated - day.byP90) },
    ],
  };
  return (
    <Chart
      title="Landed by the estimate"
      figure={estimated === 0 ? null : `${Math.round((100 * byP90) / estimated)} %`}
      about={
        estimated === 0
          ? 'No pull request with an estimate landed in this time.'
          : `of ${count(estimated, 'landing')} by the p90 of the first estimate; about 90 % is right`
      }
    >
      <Counted series={series} isTable={isTable} />
    </Chart>
  );
}

export function FailedChecks({ checks }: { readonly checks: Analytics['failedChecks'] }): ReactNode {
  const [first] = checks;
  return (
    <Chart
      title="Failures by check"
      figure={first ? first.name : null}
      about={first ? `failed ${count(first.failed, 'build')}` : 'No build failed by a check in this time.'}
    >
      <Table
        first="Check"
        head={['failed', 'of builds', 'share']}
        rows={checks.map(({ name, failed, builds }) => [
          name,
          String(failed),
          String(builds),
          `${Math.round((100 * failed) / builds)} %`,
        ])}
      />
    </Chart>
  );
}
