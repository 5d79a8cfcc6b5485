// The charts of hours: at which hours pull requests land, and at which hours the line is long.
import type { ReactNode } from 'react';
import { problemReference } from '../app/errors.ts';
import { useAnswer } from '../app/page.tsx';
import { useRepository, useShell } from '../app/use-shell.ts';
import { now } from '../design/clock.ts';
import { Waiting } from '../design/parts.tsx';
import { describeDuration } from '../design/time.tsx';
import { DepthByHourDocument } from '../generated/analytics.ts';
import { Chart, ChartFrame, sum, Table, type Analytics } from './chart-frame.tsx';
import { Heat, hourText, inLineText, Stacks, type Series } from './charts.tsx';
import { weekdays, weekOf } from './week.ts';

/** Shows for each hour of the day how many pull requests land, and how long they wait, over all days. */
export function Hours({
  hours,
  isTable,
}: {
  readonly hours: Analytics['hours'];
  readonly isTable: boolean;
}): ReactNode {
  const waited = hours.filter(({ p90 }) => typeof p90 === 'number').sort((a, b) => (b.p90 ?? 0) - (a.p90 ?? 0))[0];
  const waitText = (seconds: number | null | undefined): string =>
    typeof seconds === 'number' ? describeDuration(seconds * 1000) : 'none';
  const series: Series = {
    dates: hours.map(({ hour }) => String(hour)),
    nameOf: (hour) => hourText(Number(hour)),
    parts: [
      { name: 'landed', colour: 'var(--green-f)', values: hours.map(({ merged }) => merged) },
      { name: 'left the line', colour: 'var(--red-f)', values: hours.map(({ left }) => left) },
    ],
  };
  const left = sum(hours.map((hour) => hour.left));
  const withoutLandings = left === 0 ? null : String(left);
  return (
    <Chart
      title="By hour of the day"
      figure={waited ? hourText(waited.hour) : withoutLandings}
      about={waited ? `longest waits: nine of ten less than ${waitText(waited.p90)}` : aboutHoursWithoutLandings(left)}
    >
      {isTable ? (
        <Table
          first="Hour"
          head={['landed', 'left the line', 'p50', 'p90']}
          rows={hours.map(({ hour, merged, left, p50, p90 }) => [
            hourText(hour),
            String(merged),
            String(left),
            waitText(p50),
            waitText(p90),
          ])}
        />
      ) : (
        <Stacks series={series} textOf={String} />
      )}
    </Chart>
  );
}

function aboutHoursWithoutLandings(left: number): string {
  return left === 0 ? 'Nothing landed or left the line in this time.' : 'left the line, and none landed';
}

const hourMs = 60 * 60 * 1000;
/** The number of hours in two weeks. One answer of the API has room for so many hours. */
const hoursBack = 14 * 24;

/** Shows at which hours of the week the line of the page's branch is long. */
export function BusyHours({ isTable }: { readonly isTable: boolean }): ReactNode {
  const repository = useRepository(useShell());
  // Full hours, so that the question stays the same for an hour.
  const to = Math.floor(now() / hourMs) * hourMs;
  const question = {
    owner: repository?.owner ?? '',
    name: repository?.name ?? '',
    branch: repository?.branch ?? '',
    from: new Date(to - hoursBack * hourMs).toISOString(),
    to: new Date(to).toISOString(),
    points: hoursBack,
  };
  // The hours that have passed do not change.
  const answer = useAnswer(DepthByHourDocument, question, { isOnce: true });
  const title = 'When the line is long';
  const history = answer.data?.repository?.queue?.depthHistory;
  const failure = answer.problem ?? (history ? null : answer.partial);
  if (failure)
    return (
      <ChartFrame title={title}>
        <p className="dim">
          {failure.sentence} <span className="xs">{problemReference(failure)}</span>
        </p>
      </ChartFrame>
    );
  if (answer.data === undefined)
    return (
      <ChartFrame title={title}>
        <Waiting />
      </ChartFrame>
    );
  const week = weekOf(history ?? []);
  const { longest } = week;
  return (
    <Chart
      title={title}
      figure={longest === null ? null : `${weekdays[longest.weekday]} ${hourText(longest.hour)}`}
      about={
        longest === null
          ? 'No pull request was in line in the last two weeks.'
          : `${inLineText(longest.queued)} on average, in two weeks`
      }
    >
      {isTable ? (
        <Table
          first="Hour"
          head={weekdays}
          rows={Array.from({ length: 24 }, (_, hour) => [
            hourText(hour),
            ...week.hours.map((day) => inLineText(day[hour] ?? null)),
          ])}
        />
      ) : (
        <Heat week={week} />
      )}
    </Chart>
  );
}
