// The page of analytics: how long pull requests wait, and why they leave the line.
import { type ReactNode } from 'react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { RepositoryAnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { now } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Answer, Banner, Bar, Button } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { describeDuration } from '../design/time.tsx';
import { count } from '../design/labels.ts';
import { AnalyticsDocument } from '../generated/analytics.ts';
import { BuildTime, EtaAccuracy, FailedChecks } from './build-charts.tsx';
import { Chart, Counted, sum, Table, type Analytics } from './chart-frame.tsx';
import { Band, type Series } from './charts.tsx';
import { BusyHours, Hours } from './hours.tsx';
import styles from './analytics.module.css';

const spans = [7, 30, 90] as const;

// The Swedish locale writes dates as ISO 8601 does.
const dateParts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const localDate = new Intl.DateTimeFormat('sv-SE', dateParts);
const utcDate = new Intl.DateTimeFormat('sv-SE', { ...dateParts, timeZone: 'UTC' });
const { timeZone: localZone } = localDate.resolvedOptions();

interface Span {
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
}

/** The dates of the last days in the reader's time zone, today included. */
function daysUntil(today: number, days: number): Span {
  const first = new Date(today);
  first.setDate(first.getDate() - (days - 1));
  return { start: localDate.format(first), end: localDate.format(today), timezone: localZone };
}

/** The dates of the last days in UTC, today included. */
function utcDaysUntil(today: number, days: number): Span {
  const first = today - (days - 1) * 86_400_000;
  return { start: utcDate.format(first), end: utcDate.format(today), timezone: 'UTC' };
}

/**
 * Reads the analytics by days of the reader's time zone. The browser may have another version of the IANA database than
 * the server. If the server does not know the zone, the days are those of UTC.
 */
function useAnalytics(place: { readonly owner: string; readonly name: string }, days: number, branch: string | null) {
  const ofZone = useAnswer(AnalyticsDocument, { ...place, ...daysUntil(now(), days), branch });
  const isUnknownZone = ofZone.problem?.code === 'BAD_INPUT';
  const ofUtc = useAnswer(
    AnalyticsDocument,
    { ...place, ...utcDaysUntil(now(), days), branch },
    { pause: !isUnknownZone },
  );
  return { answer: isUnknownZone ? ofUtc : ofZone, isUnknownZone };
}

export function AnalyticsPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Analytics of ${owner}/${name}`);
  const { days = 30, branch = null, as } = useSearch({ strict: false });
  const isTable = as === 'table';
  const navigate = useNavigate();
  // The address names what is shown, so that it can be sent to others. Back leads to the former choice.
  const choose = (change: Record<string, unknown>): void =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, ...change }),
      resetScroll: false,
    } as never);
  const { answer, isUnknownZone } = useAnalytics({ owner, name }, days, branch);
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Analytics">
        <span className="grow" />
        <DaysChoice days={days} onChoose={(chosen) => choose({ days: chosen === 30 ? undefined : chosen })} />
        <BranchChoice
          branches={answer.data?.repository?.queues ?? []}
          branch={branch}
          onChoose={(chosen) => choose({ branch: chosen ?? undefined })}
        />
        <Button aria-pressed={isTable} onClick={() => choose({ as: isTable ? undefined : 'table' })}>
          As table
        </Button>
      </Bar>
      {isUnknownZone && (
        <Banner>The days are those of UTC, because the server does not know your time zone {localZone}.</Banner>
      )}
      <RepositoryAnswerView answer={answer} what="The analytics" owner={owner} name={name}>
        {({ analytics }) => (
          <Charts analytics={analytics} isTable={isTable}>
            <BusyHours isTable={isTable} />
          </Charts>
        )}
      </RepositoryAnswerView>
    </>
  );
}

function DaysChoice({
  days,
  onChoose,
}: {
  readonly days: number;
  readonly onChoose: (days: number) => void;
}): ReactNode {
  return (
    <select
      className={parts['select']}
      aria-label="Days"
      value={days}
      onChange={(event) => onChoose(Number(event.currentTarget.value))}
    >
      {spans.map((span) => (
        <option key={span} value={span}>
          {span} days
        </option>
      ))}
    </select>
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
  const { timeInQueue, mergequeueUsage, hours, builds, failedChecks, etaAccuracy } = analytics;
  const byQueue = sum(mergequeueUsage.map(({ mergedByBot }) => mergedByBot));
  return (
    <div className={parts['scroll']} tabIndex={0}>
      <Summary analytics={analytics} />
      <div className={styles['charts']}>
        <TimeInQueue days={timeInQueue} isTable={isTable} />
        <Landed days={mergequeueUsage} isTable={isTable} />
        <Departures days={analytics.blockedReason} isTable={isTable} />
        <Hours hours={hours} isTable={isTable} />
        <BuildTime builds={builds} landed={byQueue} isTable={isTable} />
        <FailedChecks checks={failedChecks} />
        <EtaAccuracy days={etaAccuracy} isTable={isTable} />
        {children}
      </div>
    </div>
  );
}

/** Answers in two sentences how long pull requests wait, and how many leave the line. */
function Summary({ analytics }: { readonly analytics: Analytics }): ReactNode {
  const { timeInQueue, mergequeueUsage, blockedReason } = analytics;
  const byQueue = sum(mergequeueUsage.map(({ mergedByBot }) => mergedByBot));
  const total = sum(mergequeueUsage.map((day) => day.total));
  const left = countDepartures(blockedReason);
  const p50 = middle(timeInQueue.map((day) => day.p50));
  const p90 = middle(timeInQueue.map((day) => day.p90));
  return (
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
        timeInQueue.length === 0 ? (
          'Interlock landed no pull request in this time.'
        ) : (
          'No pull request waited in this time.'
        )
      ) : (
        <>
          On a usual day half wait less than <span className="nowrap">{describeDuration(p50 * 1000)},</span> nine of ten
          less than <span className="nowrap">{describeDuration(p90 * 1000)}.</span>
        </>
      )}{' '}
      <em>{left === 0 ? 'No pull request left the line.' : `${count(left, 'pull request')} left the line.`}</em>{' '}
      {total === 0 && left === 0 && <em>The charts fill when queued pull requests land.</em>}
    </Answer>
  );
}

interface ChartOfDays<K extends keyof Analytics> {
  readonly days: Analytics[K];
  readonly isTable: boolean;
}

function TimeInQueue({ days, isTable }: ChartOfDays<'timeInQueue'>): ReactNode {
  const p90 = middle(days.map((day) => day.p90));
  return (
    <Chart
      title="Time in queue"
      figure={days.length === 0 ? null : describeDuration(p90 * 1000)}
      about={days.length === 0 ? 'Interlock landed no pull request in this time.' : 'p90, queued until merged'}
    >
      {isTable ? (
        <Table
          head={['p50', 'p75', 'p90']}
          rows={days.map((day) => [
            day.date,
            ...[day.p50, day.p75, day.p90].map((seconds) => describeDuration(seconds * 1000)),
          ])}
        />
      ) : (
        <Band days={days} />
      )}
    </Chart>
  );
}

function Landed({ days, isTable }: ChartOfDays<'mergequeueUsage'>): ReactNode {
  const series: Series = {
    dates: days.map(({ date }) => date),
    parts: [
      { name: 'by Interlock', colour: 'var(--green-f)', values: days.map(({ mergedByBot }) => mergedByBot) },
      { name: 'otherwise', colour: 'var(--none)', values: days.map((day) => day.total - day.mergedByBot) },
    ],
  };
  const most = Math.max(0, ...days.map((day) => day.total));
  return (
    <Chart
      title="Landed a day"
      figure={most === 0 ? null : String(most)}
      about={most === 0 ? 'Nothing landed in this time.' : 'on the busiest day'}
    >
      <Counted series={series} isTable={isTable} />
    </Chart>
  );
}

function Departures({ days, isTable }: ChartOfDays<'blockedReason'>): ReactNode {
  const series: Series = {
    dates: days.map(({ date }) => date),
    parts: reasons.map(([key, name, colour]) => ({ name, colour, values: days.map((day) => day[key]) })),
  };
  const left = countDepartures(days);
  return (
    <Chart
      title="Why they left the line"
      figure={left === 0 ? null : String(left)}
      about={left === 0 ? 'No pull request left the line in this time.' : 'in all'}
    >
      <Counted series={series} isTable={isTable} />
    </Chart>
  );
}

function countDepartures(days: Analytics['blockedReason']): number {
  return sum(days.flatMap((day) => reasons.map(([key]) => day[key])));
}
