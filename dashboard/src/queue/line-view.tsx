// The line of a queue. Only the rows on screen are in the document, because a line may be very long.
import { useMemo, useRef, type ReactNode, type RefObject } from 'react';
import { useNow } from '../design/clock.ts';
import { Link } from '@tanstack/react-router';
import { cx } from '../design/cx.ts';
import { Answer, Button, Empty, Seal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, describeInstant } from '../design/time.tsx';
import { count, labelOf } from '../design/labels.ts';
import type { QueueRef } from './queue-actions.ts';
import { EntryItem, UnreadItem, type Axis } from './line-entries.tsx';
import { BatchHead, Graph, LandingRow, rowsOf, TipRow } from './line-rows.tsx';
import { forecastsOf, summarise, type Landing, type Proofs, type QueueData, type ShownEntry } from './summary.ts';
import { useStableRows } from './stable-rows.ts';
import { TimeTravel } from './time-travel.tsx';
import { groupOf, useVirtualRows, type Shown, type VirtualRows } from './virtual-rows.ts';
import type { RowRange } from './window.ts';
import styles from './queue.module.css';

const shortestAxisMs = 3 * 60 * 1000;
const marks = [0, 1 / 3, 2 / 3, 1];

interface LineViewProps {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly outside: readonly ShownEntry[];
  /** Whether others are not in line either. */
  readonly hasMoreOutside: boolean;
  readonly past: readonly Landing[];
  readonly at: string | null;
  /** When the repository was made. */
  readonly createdAt: string;
  /** Null: not known yet, or the page shows the past. */
  readonly proofs: Proofs | null;
  readonly look: (at: string | null) => void;
  readonly picked: number | null;
  readonly pick: (number: number) => void;
  readonly onQueue: () => void;
  /** Called with the places in line that are on screen, whenever these change. */
  readonly onShow: (places: RowRange) => void;
  /** The position in line at which the part that was read begins. */
  readonly from: number;
}

const noGutter = { above: 'none', below: 'none', dot: 'none', side: null } as const;

export function LineView(props: LineViewProps): ReactNode {
  const { queue, data, outside, past, at, createdAt, proofs, look, onQueue, from } = props;
  const now = useNow();
  const list = useRef<HTMLOListElement>(null);
  const newest = useMemo((): readonly Shown[] => {
    // The two lists are read at different moments, so a pull request may be in both. It is shown only once.
    const inLine = new Set(data.line.nodes.map(({ pullRequest }) => pullRequest.number));
    const apart = outside.filter(({ number }) => !inLine.has(number));
    return [
      ...rowsOf(data, past),
      ...groupOf('Blocked: somebody must act', apart, ({ status }) => status === 'BLOCKED'),
      ...groupOf('Asked to merge, not in line yet', apart, ({ status }) => status !== 'BLOCKED'),
    ];
  }, [data, outside, past]);
  const rows = useStableRows(newest, `${from} ${at}`, list);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualRows({ ...props, rows, scroller, list });
  const forecasts = useMemo(() => forecastsOf(data), [data]);
  const axis = useAxis(forecasts, now);
  return (
    <div className={parts['scroll']} ref={scroller} tabIndex={0}>
      <LineAnswer data={data} rows={rows} proofs={proofs} />
      <TimeTravel queue={queue} at={at} createdAt={createdAt} onLook={look} />
      {data.line.totalCount > 0 && <Columns axis={axis} at={at} />}
      <Rows {...{ ...props, rows, list, forecasts, axis, ...virtual }} />
      {props.hasMoreOutside && <MoreOutside queue={queue} />}
      {data.line.totalCount === 0 && at === null && (
        <Empty
          title="The next pull request that you queue is built on the tip at once."
          actions={
            <Button kind="go" shortcut="Q" onClick={onQueue}>
              Queue a pull request
            </Button>
          }
        />
      )}
    </div>
  );
}

/** The way to the other pull requests that are blocked or not in line yet. */
function MoreOutside({ queue: { owner, name } }: { readonly queue: QueueRef }): ReactNode {
  return (
    <p className={cx(styles['group'], 'sm')}>
      <Link className="blue" to="/$owner/$name/pulls" params={{ owner, name }} search={{ show: 'stuck' }}>
        Show all that are not in line
      </Link>
    </p>
  );
}

/** The time axis of the forecasts: from this minute to the last forecast. */
function useAxis(forecasts: ReturnType<typeof forecastsOf>, now: number): Axis {
  const minute = Math.floor(now / 60_000) * 60_000;
  return useMemo((): Axis => {
    const last = Math.max(minute + shortestAxisMs, ...[...forecasts.values()].map(({ p90 }) => p90));
    return { from: minute, to: last };
  }, [forecasts, minute]);
}

interface LineAnswerProps extends Pick<LineViewProps, 'data' | 'proofs'> {
  readonly rows: readonly Shown[];
}

/** Says in two sentences what the line does, and how many pull requests are in it. */
function LineAnswer({ data, rows, proofs }: LineAnswerProps): ReactNode {
  const now = useNow();
  const placements = rows.filter((row) => row.kind === 'batch').map((row) => row.placement);
  const beside = placements.filter((placement) => placement === 'alternative').length;
  const waiting = rows.find((row) => row.kind === 'heading')?.waiting ?? 0;
  const [lead, rest] = summarise(data, (at) => describeInstant(at, now), {
    line: placements.length - beside,
    beside,
  });
  return (
    <Answer
      facts={
        <>
          <span>
            <b>{data.depth.queued}</b> in line
          </span>
          <span>
            <b>{data.depth.queued - waiting}</b> in builds
          </span>
          <span>
            <b>{waiting}</b> waiting
          </span>
          {proofs !== null && (proofs.count > 0 || proofs.holds === false) && <Proved proofs={proofs} />}
        </>
      }
    >
      {lead} <em>{rest}</em>
    </Answer>
  );
}

/** The headings of the columns. The last column has the time axis, unless the page shows the past. */
function Columns({ axis, at }: { readonly axis: Axis; readonly at: string | null }): ReactNode {
  const now = useNow();
  return (
    <div className={styles['columns']} aria-hidden="true">
      <span />
      <span>Why it is not merged yet</span>
      <span>Acts next</span>
      <span className={styles['axis']}>
        {(at === null ? marks : []).map((mark) => (
          <span key={mark} style={{ left: `${mark * 100}%` }}>
            {mark === 0 ? 'now' : describeInstant(axis.from + mark * (axis.to - axis.from), now)}
          </span>
        ))}
      </span>
      <span />
    </div>
  );
}

interface RowsProps extends LineViewProps, VirtualRows {
  readonly rows: readonly Shown[];
  readonly list: RefObject<HTMLOListElement | null>;
  readonly forecasts: ReturnType<typeof forecastsOf>;
  readonly axis: Axis;
}

function Rows({ queue, data, past, at, picked, pick, ...drawn }: RowsProps): ReactNode {
  const { rows, list, forecasts, axis, virtualizer, margin, focused } = drawn;
  const unknown = whyNoForecast(data, at);
  const repository = { owner: queue.owner, name: queue.name };
  return (
    <ol
      ref={list}
      className={styles['line']}
      style={{ height: virtualizer.getTotalSize() }}
      aria-label={`The line of ${queue.branch}`}
      onFocus={({ target }) => {
        focused.current = target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? null;
      }}
      onBlur={() => {
        focused.current = null;
      }}
    >
      {virtualizer.getVirtualItems().map((item) => {
        const row = rows[item.index];
        if (!row) return null;
        return (
          <li
            key={item.key}
            data-row={row.key}
            className={styles['row']}
            aria-posinset={item.index + 1}
            aria-setsize={rows.length}
            style={{ height: item.size, transform: `translateY(${item.start - margin}px)` }}
          >
            <Graph gutter={'gutter' in row ? row.gutter : noGutter} />
            <RowBody
              row={row}
              {...{ repository, forecasts, axis, unknown, picked, pick, data, past }}
              branch={queue.branch}
            />
          </li>
        );
      })}
    </ol>
  );
}

/** Why no time is forecast. Empty: the page shows the past, which has no forecasts. */
function whyNoForecast(data: QueueData, at: string | null): string {
  if (at !== null) return '';
  if (data.haltedAt) return 'halted';
  if (data.paused) return 'paused';
  return labelOf(data.line.nodes.find(({ eta }) => eta?.unknown)?.eta?.unknown ?? 'not known yet');
}

/** Shows how many landings have a proof, and when the proofs were last verified. */
function Proved({ proofs: { count: landings, verifiedAt, holds } }: { readonly proofs: Proofs }): ReactNode {
  if (holds === false)
    return <span className="red">At least one proof of a landing is not valid. Run npm run verify to see which.</span>;
  return (
    <Seal>
      {count(landings, 'landing')} proved
      {verifiedAt && (
        <>
          , derived again <Ago at={verifiedAt} />
        </>
      )}
    </Seal>
  );
}

function RowBody({
  row,
  data,
  past,
  branch,
  repository,
  forecasts,
  axis,
  unknown,
  picked,
  pick,
}: {
  readonly row: Shown;
  readonly data: QueueData;
  readonly past: readonly Landing[];
  readonly branch: string;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly forecasts: ReturnType<typeof forecastsOf>;
  readonly axis: Axis;
  readonly unknown: string;
  readonly picked: number | null;
  readonly pick: (number: number) => void;
}): ReactNode {
  const entryProps = { branch, repository, axis, unknown, onPick: pick };
  switch (row.kind) {
    case 'landing':
      return <LandingRow landing={row.landing} repository={repository} branch={branch} />;
    case 'tip':
      return <TipRow branch={branch} tip={data.baseTip ?? null} last={past[0]} asOf={data.asOf} />;
    case 'batch':
      return <BatchHead row={row} members={row.batch.members} asOf={data.asOf} />;
    case 'heading':
      return <div className={styles['group']}>{row.waiting === 1 ? '1 waits' : `${row.waiting} wait`} for a build</div>;
    case 'outHeading':
      return <div className={styles['group']}>{row.title}</div>;
    case 'entry':
      if (row.entry.entry === null) return <UnreadItem slot={row.entry} isInCard={row.placement !== 'waiting'} />;
      return (
        <EntryItem
          {...entryProps}
          entry={row.entry.entry}
          placement={row.placement}
          isLastOfCard={row.isLastOfCard}
          isPicked={picked === row.entry.number}
          forecast={forecasts.get(row.entry.number)}
        />
      );
    case 'out':
      return (
        <EntryItem
          {...entryProps}
          entry={row.entry}
          placement="out"
          isLastOfCard={false}
          isPicked={picked === row.entry.number}
          forecast={undefined}
        />
      );
    default:
      return row satisfies never;
  }
}
