// The page of analytics: how long pull requests wait, and why they leave the line.
import { useState, type ReactNode } from 'react';
import { useParams } from '@tanstack/react-router';
import { AnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { now } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Empty } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { describeDuration } from '../design/time.tsx';
import { count } from '../design/labels.ts';
import { useRepository, useShell } from '../app/shell.tsx';
import { AnalyticsDocument, DepthByHourDocument, type AnalyticsQuery } from '../generated/analytics.ts';
import { Band, Heat, hourText, inLineText, Stacks, type Series } from './charts.tsx';
import { weekdays, weekOf } from './week.ts';
import styles from './analytics.module.css';

type Analytics = NonNullable<AnalyticsQuery['repository']>['analytics'];

const dayMs = 24 * 60 * 60 * 1000;
const spans = [7, 30, 90] as const;

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function AnalyticsPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Analytics of ${owner}/${name}`);
  const [days, setDays] = useState<number>(30);
  const [isTable, setTable] = useState(false);
  const [branch, setBranch] = useState<string | null>(null);
  const today = now();
  const answer = useAnswer(AnalyticsDocument, {
    owner,
    name,
    start: dateOf(today - days * dayMs),
    end: dateOf(today),
    branch,
  });
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Analytics">
        <span className="grow" />
        <select
          className={parts['select']}
          aria-label="Days"
          value={days}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        >
          {spans.map((span) => (
            <option key={span} value={span}>
              {span} days
            </option>
          ))}
        </select>
        <BranchChoice branches={answer.data?.repository?.queues ?? []} branch={branch} onChoose={setBranch} />
        <Button aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          As table
        </Button>
      </Bar>
      <AnswerView answer={answer} what="The analytics">
        {({ repository }) =>
          repository ? (
            <Charts analytics={repository.analytics} isTable={isTable}>
              <BusyHours isTable={isTable} />
            </Charts>
          ) : (
            <Empty title="There is no such repository." />
          )
        }
      </AnswerView>
    </>
  );
}

/** Chooses of which base branch builds and estimates are shown. Nothing is drawn if there is only one queue. */
function BranchChoice({
  branches,
  branch,
  onChoose,
}: {
  readonly branches: readonly { readonly baseBranch: string }[];
  readonly branch: string | null;
  readonly onChoose: (branch: string | null) => void;
}): ReactNode {
  if (branches.length < 2) return null;
  return (
    <select
      className={parts['select']}
      aria-label="Builds and estimates of which base branch"
      value={branch ?? ''}
      onChange={(event) => onChoose(event.currentTarget.value === '' ? null : event.currentTarget.value)}
    >
      <option value="">builds and estimates of every branch</option>
      {branches.map(({ baseBranch }) => (
        <option key={baseBranch} value={baseBranch}>
          builds and estimates of {baseBranch}
        </option>
      ))}
    </select>
  );
}

const reasons = [
  ['ciFailure', 'CI failure', 'var(--red-f)'],
  ['mergeConflict', 'conflict', 'var(--amber-f)'],
  ['ciTimeout', 'timeout', 'var(--violet-f)'],
  ['manualDequeue', 'dequeued', 'var(--blue-f)'],
  ['other', 'other', 'var(--none)'],
] as const;

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/**
 * The median of the values of the days. It replaces the median of all pull requests, because the answer has only one
 * row for each day.
 */
function middle(all: readonly number[]): number {
  const sorted = all.filter((one) => one > 0).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function Charts({
  analytics,
  isTable,
  children,
}: {
  readonly analytics: Analytics;
  readonly isTable: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const { timeInQueue, mergequeueUsage, blockedReason, hours, builds, failedChecks, etaAccuracy } = analytics;
  const byQueue = sum(mergequeueUsage.map(({ mergedByBot }) => mergedByBot));
  const total = sum(mergequeueUsage.map((day) => day.total));
  const left = sum(blockedReason.flatMap((day) => reasons.map(([key]) => day[key])));
  const p50 = middle(timeInQueue.map((day) => day.p50));
  const p90 = middle(timeInQueue.map((day) => day.p90));
  const usage: Series = {
    dates: mergequeueUsage.map(({ date }) => date),
    parts: [
      { name: 'by Interlock', colour: 'var(--green-f)', values: mergequeueUsage.map(({ mergedByBot }) => mergedByBot) },
      { name: 'otherwise', colour: 'var(--none)', values: mergequeueUsage.map((day) => day.total - day.mergedByBot) },
    ],
  };
  const blocks: Series = {
    dates: blockedReason.map(({ date }) => date),
    parts: reasons.map(([key, name, colour]) => ({ name, colour, values: blockedReason.map((day) => day[key]) })),
  };
  return (
    <div className={parts['scroll']} tabIndex={0}>
      <Answer
        facts={
          <>
            <span>
              <b>{byQueue}</b> landed by Interlock, {total - byQueue} otherwise
            </span>
            <span>
              <b>{left}</b> left the line
            </span>
          </>
        }
      >
        {p50 === 0 ? (
          'No pull request waited in this time.'
        ) : (
          <>
            On a usual day half wait less than <span className="nowrap">{describeDuration(p50 * 1000)},</span> nine of
            ten less than <span className="nowrap">{describeDuration(p90 * 1000)}.</span>
          </>
        )}{' '}
        <em>{left === 0 ? 'No pull request left the line.' : `${count(left, 'pull request')} left the line.`}</em>
      </Answer>
      <div className={styles['charts']}>
        <Chart title="Time in queue" figure={describeDuration(p90 * 1000)} about="p90, queued until merged">
          {isTable ? (
            <Table
              head={['p50', 'p75', 'p90']}
              rows={timeInQueue.map((day) => [
                day.date,
                ...[day.p50, day.p75, day.p90].map((seconds) => describeDuration(seconds * 1000)),
              ])}
            />
          ) : (
            <Band days={timeInQueue} />
          )}
        </Chart>
        <Chart
          title="Landed a day"
          figure={String(Math.max(0, ...mergequeueUsage.map((day) => day.total)))}
          about="on the busiest day"
        >
          <Counted series={usage} isTable={isTable} />
        </Chart>
        <Chart title="Why they left the line" figure={String(left)} about="in all">
          <Counted series={blocks} isTable={isTable} />
        </Chart>
        <Hours hours={hours} isTable={isTable} />
        <BuildTime builds={builds} landed={byQueue} isTable={isTable} />
        <FailedChecks checks={failedChecks} />
        <EtaAccuracy days={etaAccuracy} isTable={isTable} />
        {children}
      </div>
    </div>
  );
}

/** Shows for each hour of the day how many pull requests land, and how long they wait, over all days. */
function Hours({ hours, isTable }: { readonly hours: Analytics['hours']; readonly isTable: boolean }): ReactNode {
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
  return (
    <Chart
      title="By hour of the day"
      figure={waited ? hourText(waited.hour) : 'Never'}
      about={waited ? `longest waits: nine of ten less than ${waitText(waited.p90)}` : 'nothing landed'}
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

const minutesIn = [
  ['minutesLanded', 'landed', 'var(--green-f)'],
  ['minutesFailed', 'failed', 'var(--red-f)'],
  ['minutesReset', 'stopped, as the line changed', 'var(--none)'],
] as const;

function BuildTime({
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
      figure={describeDuration(minutes * 60_000)}
      about={`in ${count(all, 'build')}${landed > 0 ? `, ${(all / landed).toFixed(2)} per landed pull request` : ''}; ${share} % did not land`}
    >
      <Counted series={series} isTable={isTable} textOf={(value) => describeDuration(value * 60_000)} />
    </Chart>
  );
}

/** Shows how many pull requests landed by the time of their first estimate. */
function EtaAccuracy({
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
      figure={estimated === 0 ? 'None' : `${Math.round((100 * byP90) / estimated)} %`}
      about={
        estimated === 0
          ? 'no pull request with an estimate landed'
          : `of ${count(estimated, 'landing')} by the p90 of the first estimate; about 90 % is right`
      }
    >
      {estimated > 0 && <Counted series={series} isTable={isTable} />}
    </Chart>
  );
}

function FailedChecks({ checks }: { readonly checks: Analytics['failedChecks'] }): ReactNode {
  const [first] = checks;
  return (
    <Chart
      title="Failures by check"
      figure={first ? first.name : 'None'}
      about={first ? `failed ${count(first.failed, 'build')}` : 'no build failed by a check'}
    >
      {first && (
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
      )}
    </Chart>
  );
}

const hourMs = 60 * 60 * 1000;
/** The number of hours in two weeks. One answer of the API has room for so many hours. */
const hoursBack = 14 * 24;

/** Shows at which hours of the week the line of the page's branch is long. */
function BusyHours({ isTable }: { readonly isTable: boolean }): ReactNode {
  const repository = useRepository(useShell());
  // Full hours, so that the question stays the same for an hour.
  const to = Math.floor(now() / hourMs) * hourMs;
  const answer = useAnswer(DepthByHourDocument, {
    owner: repository?.owner ?? '',
    name: repository?.name ?? '',
    branch: repository?.branch ?? '',
    from: new Date(to - hoursBack * hourMs).toISOString(),
    to: new Date(to).toISOString(),
    points: hoursBack,
  });
  const week = weekOf(answer.data?.repository?.queue?.depthHistory ?? []);
  const { longest } = week;
  return (
    <Chart
      title="When the line is long"
      figure={longest === null ? 'Never' : `${weekdays[longest.weekday]} ${hourText(longest.hour)}`}
      about={`${longest === null ? 'nobody waited' : inLineText(longest.queued)} on average, in two weeks`}
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

function Counted({
  series,
  isTable,
  textOf = String,
}: {
  readonly series: Series;
  readonly isTable: boolean;
  readonly textOf?: (value: number) => string;
}): ReactNode {
  if (!isTable) return <Stacks series={series} textOf={textOf} />;
  return (
    <Table
      head={series.parts.map(({ name }) => name)}
      rows={series.dates.map((date, index) => [date, ...series.parts.map(({ values }) => textOf(values[index] ?? 0))])}
    />
  );
}

function Chart({
  title,
  figure,
  about,
  children,
}: {
  readonly title: string;
  readonly figure: string;
  readonly about: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className={styles['chart']} aria-label={title}>
      <h3>{title}</h3>
      <p className={styles['figure']}>
        {figure} <small>{about}</small>
      </p>
      {children}
    </section>
  );
}

function Table({
  first = 'Day',
  head,
  rows,
}: {
  /** What the rows' names are. */
  readonly first?: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): ReactNode {
  return (
    <div className={styles['table']} tabIndex={0} role="region" aria-label="As table">
      <table className={parts['table']}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([date, ...cells]) => (
            <tr key={date}>
              <th scope="row">{date}</th>
              {cells.map((cell, index) => (
                <td key={head[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
