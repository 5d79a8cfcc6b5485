// The line of a queue. Only the rows on screen are in the document, because a line may be very long.
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useNow } from '../design/clock.ts';
import { useIsNarrow } from '../design/narrow.ts';
import { Answer, Button, Empty, Seal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, describeInstant } from '../design/time.tsx';
import { count, labelOf } from '../design/labels.ts';
import type { QueueRef } from './actions.ts';
import {
  BatchHead,
  EntryItem,
  Graph,
  heightOf,
  LandingRow,
  rowsOf,
  TipRow,
  UnreadItem,
  type Axis,
  type LineRow,
} from './line-rows.tsx';
import { forecastsOf, summarise, type Landing, type Proofs, type QueueData, type ShownEntry } from './summary.ts';
import { useStableRows } from './stable-rows.ts';
import { TimeTravel } from './time-travel.tsx';
import type { RowRange } from './window.ts';
import styles from './queue.module.css';

const shortestAxisMs = 3 * 60 * 1000;
const marks = [0, 1 / 3, 2 / 3, 1];

interface LineViewProps {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly outside: readonly ShownEntry[];
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

type Shown =
  | LineRow
  | { readonly key: string; readonly kind: 'out'; readonly entry: ShownEntry }
  | { readonly key: string; readonly kind: 'outHeading'; readonly title: string };

/**
 * Makes the rows of pull requests that are not in line, under a heading. Without such pull requests there are no rows.
 */
function groupOf(
  title: string,
  outside: readonly ShownEntry[],
  belongs: (entry: ShownEntry) => boolean,
): readonly Shown[] {
  const entries = outside.filter(belongs);
  if (entries.length === 0) return [];
  return [
    { key: title, kind: 'outHeading', title },
    ...entries.map((entry) => ({ key: `entry ${entry.number}`, kind: 'out' as const, entry })),
  ];
}

const noGutter = { above: 'none', below: 'none', dot: 'none', side: null } as const;

export function LineView(props: LineViewProps): ReactNode {
  const { queue, data, outside, past, at, createdAt, proofs, look, picked, pick, onQueue, onShow, from } = props;
  const now = useNow();
  const isNarrow = useIsNarrow();
  const scroller = useRef<HTMLDivElement>(null);
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
  const [margin, setMargin] = useState(0);
  useEffect(() => setMargin(list.current?.offsetTop ?? 0), [data.depth.queued === 0, isNarrow, at]);
  // The row that has the focus stays in the document, because the focus would be lost if scrolling removed the row.
  const focused = useRef<string | null>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    rangeExtractor: useCallback(
      (range: Range) => {
        const indexes = defaultRangeExtractor(range);
        const index = focused.current === null ? -1 : rows.findIndex(({ key }) => key === focused.current);
        return index === -1 || indexes.includes(index) ? indexes : [...indexes, index].sort((a, b) => a - b);
      },
      [rows],
    ),
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index];
      if (!row || row.kind === 'outHeading') return 34;
      return row.kind === 'out' ? (isNarrow ? 68 : 48) : heightOf(row, isNarrow);
    },
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    scrollMargin: margin,
  });
  useEffect(() => virtualizer.measure(), [rows, isNarrow, virtualizer]);
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  useEffect(() => {
    const places = rows
      .slice(startIndex, endIndex + 1)
      .flatMap((row) => (row.kind === 'entry' ? [row.entry.place] : []));
    if (places.length > 0) onShow({ first: Math.min(...places), last: Math.max(...places) });
  }, [rows, startIndex, endIndex, onShow]);
  // A row that was chosen by a key may be off screen.
  useEffect(() => {
    const index = picked === null ? -1 : rows.findIndex(({ key }) => key === `entry ${picked}`);
    if (index !== -1) virtualizer.scrollToIndex(index, { align: 'auto' });
    // The list scrolls when a row is chosen. It does not scroll when the chosen row moves, so `rows` is not a
    // dependency.
  }, [picked]);

  const forecasts = useMemo(() => forecastsOf(data), [data]);
  const minute = Math.floor(now / 60_000) * 60_000;
  const axis = useMemo((): Axis => {
    const last = Math.max(minute + shortestAxisMs, ...[...forecasts.values()].map(({ p90 }) => p90));
    return { from: minute, to: last };
  }, [forecasts, minute]);
  const placements = rows.filter((row) => row.kind === 'batch').map((row) => row.placement);
  const beside = placements.filter((placement) => placement === 'alternative').length;
  const waiting = rows.find((row) => row.kind === 'heading')?.waiting ?? 0;
  const [lead, rest] = summarise(data, (at) => describeInstant(at, now), {
    line: placements.length - beside,
    beside,
  });
  const unknown =
    at !== null
      ? ''
      : data.haltedAt
        ? 'halted'
        : data.paused
          ? 'paused'
          : labelOf(data.line.nodes.find(({ eta }) => eta?.unknown)?.eta?.unknown ?? 'not known yet');
  const repository = { owner: queue.owner, name: queue.name };

  return (
    <div className={parts['scroll']} ref={scroller} tabIndex={0}>
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
            {proofs !== null && proofs.count > 0 && <Proved proofs={proofs} />}
          </>
        }
      >
        {lead} <em>{rest}</em>
      </Answer>
      <TimeTravel queue={queue} at={at} createdAt={createdAt} onLook={look} />
      {data.line.totalCount > 0 && (
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
      )}
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
