// Draws how long the line was in the last hours. The user drags in the chart to see the queue at an earlier moment.
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter, line } from 'd3-shape';
import { useQuery } from 'urql';
import { useCommands } from '../app/commands.ts';
import { useNow } from '../design/clock.ts';
import { describeDuration, describeInstant } from '../design/time.tsx';
import { count } from '../design/labels.ts';
import { DepthHistoryDocument, type DepthHistoryQuery } from '../generated/queue.ts';
import { decideMoment, decideSpan, takeStep } from './look-back.ts';
import type { QueueRef } from './queue-actions.ts';
import styles from './time-travel.module.css';

type Point = NonNullable<NonNullable<DepthHistoryQuery['repository']>['queue']>['depthHistory'][number];

const minuteMs = 60 * 1000;
/** The line of a moment is read only when the drag pauses, because every read counts against the rate limit. */
const dragPauseMs = 150;
/** How many moments the chart has. */
const moments = 180;
const width = 1000;
const height = 44;

interface TimeTravelProps {
  readonly queue: QueueRef;
  /** The moment in the past that is shown. Null: now. */
  readonly at: string | null;
  /** When the repository was made. */
  readonly createdAt: string;
  readonly onLook: (at: string | null) => void;
}

export function TimeTravel({ queue, at, createdAt, onLook }: TimeTravelProps): ReactNode {
  const now = useNow();
  const to = Math.ceil(now / minuteMs) * minuteMs;
  const shownMs = decideSpan(Date.parse(createdAt), now);
  const stepMs = shownMs / moments;
  const from = to - shownMs;
  const points = usePoints(queue, from, to);
  const slider = useRef<HTMLInputElement>(null);
  const { dragged, look, drag } = useDrag({ at, now, stepMs, onLook });
  const shown = dragged ?? (at === null ? to : Math.min(to, Math.max(from, Date.parse(at))));
  useCommands([
    { key: 't', label: 'Look back', group: 'View', run: () => slider.current?.focus() },
    { key: '.', label: 'Back to now', group: 'View', run: () => onLook(null) },
  ]);
  return (
    <div className={styles['time']}>
      <Hint dragged={dragged} />
      <Depth points={points} from={from} to={to} shown={shown} />
      <input
        ref={slider}
        type="range"
        className={styles['slider']}
        aria-label="Moment shown"
        aria-valuetext={at === null && dragged === null ? 'now' : describeInstant(shown, now)}
        min={from}
        max={to}
        step={stepMs}
        value={shown}
        onChange={(event) => drag(Number(event.currentTarget.value))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
          event.preventDefault();
          const by = event.key === 'ArrowLeft' ? -1 : 1;
          look(takeStep({ shown, from, to, by, isLong: event.shiftKey }, points));
        }}
      />
      <Marks from={from} shownMs={shownMs} />
    </div>
  );
}

function usePoints(queue: QueueRef, from: number, to: number): readonly Point[] {
  const [{ data }] = useQuery({
    query: DepthHistoryDocument,
    variables: useMemo(
      () => ({ ...queue, from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
      [queue, from, to],
    ),
  });
  // While the points of the next minute are read, the chart still shows the points of the minute before.
  const latest = useRef<readonly Point[]>([]);
  const points = data?.repository?.queue?.depthHistory ?? latest.current;
  useEffect(() => {
    latest.current = points;
  }, [points]);
  return points;
}

interface DragOptions extends Pick<TimeTravelProps, 'at' | 'onLook'> {
  readonly now: number;
  readonly stepMs: number;
}

interface Drag {
  /** The moment to which the slider is being dragged. Null: it is not being dragged. */
  readonly dragged: number | null;
  readonly look: (instant: number) => void;
  readonly drag: (instant: number) => void;
}

function useDrag({ at, now, stepMs, onLook }: DragOptions): Drag {
  const [dragged, setDragged] = useState<number | null>(null);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const look = (instant: number): void => {
    const moment = decideMoment(instant, { now, stepMs });
    // If this moment is shown already, the address does not change.
    if (moment === null && at === null) setDragged(null);
    onLook(moment === null ? null : new Date(moment).toISOString());
  };
  const drag = (instant: number): void => {
    setDragged(instant);
    clearTimeout(pause.current);
    pause.current = setTimeout(() => look(instant), dragPauseMs);
  };
  // The address contains the moment now, so the moment of the drag is not needed any more.
  useEffect(() => setDragged(null), [at]);
  useEffect(() => () => clearTimeout(pause.current), []);
  return { dragged, look, drag };
}

function Hint({ dragged }: Pick<Drag, 'dragged'>): ReactNode {
  const now = useNow();
  return (
    <p className={styles['hint']} aria-hidden="true">
      {dragged === null ? (
        <>
          In line, with <span className="green">landings</span> and <span className="red">resets</span>. Drag to look
          back, or press T.
        </>
      ) : (
        `To ${describeInstant(dragged, now)}`
      )}
    </p>
  );
}

function Marks({ from, shownMs }: { readonly from: number; readonly shownMs: number }): ReactNode {
  const now = useNow();
  return (
    <p className={styles['marks']} aria-hidden="true">
      <span>{describeInstant(from, now)}</span>
      <span>{describeInstant(from + shownMs / 3, now)}</span>
      <span>{describeInstant(from + (2 * shownMs) / 3, now)}</span>
      <b>now</b>
    </p>
  );
}

function Depth({
  points,
  from,
  to,
  shown,
}: {
  readonly points: readonly Point[];
  readonly from: number;
  readonly to: number;
  readonly shown: number;
}): ReactNode {
  const x = scaleLinear([from, to], [0, width]);
  const y = scaleLinear([0, Math.max(4, ...points.map(({ queued }) => queued))], [height - 8, 2]);
  const at = (point: Point): number => x(Date.parse(point.at));
  const under = area<Point>()
    .x(at)
    .y0(height - 8)
    .y1(({ queued }) => y(queued))
    .curve(curveStepAfter);
  const top = line<Point>()
    .x(at)
    .y(({ queued }) => y(queued))
    .curve(curveStepAfter);
  const max = Math.max(0, ...points.map(({ queued }) => queued));
  return (
    <svg
      className={styles['depth']}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`At most ${count(max, 'pull request was', 'pull requests were')} in line in the last ${describeDuration(to - from)}`}
    >
      <path d={under([...points]) ?? ''} fill="var(--blue-s)" />
      <path d={top([...points]) ?? ''} className={styles['line']} />
      {points.map((point) => (
        <g key={point.at}>
          {point.landings > 0 && <path d={`M${at(point)} ${height - 6}v6`} className={styles['landing']} />}
          {point.resets > 0 && <path d={`M${at(point)} 2v${height - 4}`} className={styles['reset']} />}
        </g>
      ))}
      <path d={`M${x(shown)} 0v${height}`} className={styles['head']} />
    </svg>
  );
}
