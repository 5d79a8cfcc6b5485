// Draws charts as SVG. d3 makes the scales and shapes, and the colours are those of the style sheet.
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { scaleLinear, scalePoint } from 'd3-scale';
import { area, curveMonotoneX, line } from 'd3-shape';
import { describeDuration } from '../design/time.tsx';
import styles from './analytics.module.css';
import { weekdays, type Week } from './week.ts';

const height = 150;
const edge = { left: 44, right: 6, top: 6, bottom: 20 } as const;

export interface Series {
  /** Days such as `2026-11-22`, or other values, which `nameOf` turns into text. */
  readonly dates: readonly string[];
  readonly nameOf?: (date: string) => string;
  readonly parts: readonly { readonly name: string; readonly colour: string; readonly values: readonly number[] }[];
}

const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `2026-11-22` as `22 Nov`. */
function dayText(date: string): string {
  return dayAndMonth.format(new Date(`${date}T00:00:00Z`));
}

/** Waits below two minutes are given in seconds, because in minutes two neighbouring ticks would have the same text. */
function waitText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : describeDuration(seconds * 1000);
}

interface DayOfWaits {
  readonly date: string;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
}

/** A drawing as wide as the element around it. So the text of the drawing is as large as the text of the page. */
function Drawing({
  label,
  tall,
  children,
}: {
  readonly label: string;
  readonly tall: number;
  readonly children: (width: number) => ReactNode;
}): ReactNode {
  const room = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = room.current;
    if (element === null) return;
    const measure = (): void => setWidth(Math.round(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={room} style={{ height: tall }}>
      {width > 0 && (
        <svg width={width} height={tall} role="img" aria-label={label} className={styles['svg']}>
          {children(width)}
        </svg>
      )}
    </div>
  );
}

function Frame({
  width,
  top,
  textOf,
  dates,
  nameOf = dayText,
  children,
}: {
  readonly width: number;
  readonly top: number;
  readonly textOf: (value: number) => string;
  readonly dates: readonly string[];
  readonly nameOf?: ((date: string) => string) | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const y = scaleLinear([0, top], [height - edge.bottom, edge.top]);
  const ticks = y.ticks(3);
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={edge.left} x2={width - edge.right} y1={y(tick)} y2={y(tick)} />
          <text x={edge.left - 6} y={y(tick) + 4} textAnchor="end">
            {textOf(tick)}
          </text>
        </g>
      ))}
      {/* A single day is drawn in the middle. */}
      <text
        x={dates.length === 1 ? (edge.left + width - edge.right) / 2 : edge.left}
        y={height - 4}
        textAnchor={dates.length === 1 ? 'middle' : 'start'}
      >
        {dates[0] !== undefined && nameOf(dates[0])}
      </text>
      <text x={width - edge.right} y={height - 4} textAnchor="end">
        {dates.length > 1 && nameOf(dates.at(-1) ?? '')}
      </text>
      {children}
    </>
  );
}

/**
 * Draws the median as a line, and the range from the 75th to the 90th percentile as a band. The values are in seconds.
 */
export function Band({ days }: { readonly days: readonly DayOfWaits[] }): ReactNode {
  return (
    <>
      <Drawing label="Time in queue by day" tall={height}>
        {(width) => <BandOfDays days={days} width={width} />}
      </Drawing>
      <Legend
        parts={[
          { name: 'p50', colour: 'var(--ink)' },
          { name: 'p75 to p90', colour: 'var(--blue-f)' },
        ]}
      />
    </>
  );
}

function BandOfDays({ days, width }: { readonly days: readonly DayOfWaits[]; readonly width: number }): ReactNode {
  const top = Math.max(10, ...days.map(({ p90 }) => p90));
  const dates = days.map(({ date }) => date);
  const x = scalePoint(dates, [edge.left, width - edge.right]);
  const y = scaleLinear([0, top], [height - edge.bottom, edge.top]);
  const at = ({ date }: DayOfWaits): number => x(date) ?? edge.left;
  const band = area<DayOfWaits>()
    .x(at)
    .y0(({ p75 }) => y(p75))
    .y1(({ p90 }) => y(p90))
    .curve(curveMonotoneX);
  const mid = line<DayOfWaits>()
    .x(at)
    .y(({ p50 }) => y(p50))
    .curve(curveMonotoneX);
  // A line through one point is invisible, so a single day is drawn as a bar and a circle.
  const only = days.length === 1 ? days[0] : undefined;
  return (
    <Frame width={width} top={top} textOf={waitText} dates={dates}>
      <path d={band([...days]) ?? ''} fill="var(--blue-s)" stroke="var(--blue-f)" />
      <path d={mid([...days]) ?? ''} fill="none" stroke="var(--ink)" strokeWidth="1.5" />
      {only !== undefined && (
        <>
          <rect x={at(only) - 4} width="8" y={y(only.p90)} height={y(only.p75) - y(only.p90)} fill="var(--blue-f)" />
          <circle cx={at(only)} cy={y(only.p50)} r="3" fill="var(--ink)" />
        </>
      )}
    </Frame>
  );
}

/** Draws the counts of each day on top of each other. */
export function Stacks({
  series,
  textOf,
}: {
  readonly series: Series;
  readonly textOf: (value: number) => string;
}): ReactNode {
  return (
    <>
      <Drawing label={series.nameOf ? 'Counts by hour' : 'Counts by day'} tall={height}>
        {(width) => <StacksOfDays series={series} textOf={textOf} width={width} />}
      </Drawing>
      <Legend parts={series.parts} />
    </>
  );
}

function StacksOfDays({
  series,
  textOf,
  width,
}: {
  readonly series: Series;
  readonly textOf: (value: number) => string;
  readonly width: number;
}): ReactNode {
  const { dates, parts, nameOf } = series;
  const sums = dates.map((_, index) => parts.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const top = Math.max(4, ...sums);
  const y = scaleLinear([0, top], [height - edge.bottom, edge.top]);
  const step = (width - edge.left - edge.right) / Math.max(1, dates.length);
  return (
    <Frame width={width} top={top} textOf={textOf} dates={dates} nameOf={nameOf}>
      {dates.map((date, index) => {
        let below = 0;
        return parts.map(({ name, colour, values }) => {
          const from = below;
          below += values[index] ?? 0;
          return (
            <rect
              key={`${date}${name}`}
              x={edge.left + index * step + step * 0.15}
              width={step * 0.7}
              y={y(below)}
              height={y(from) - y(below)}
              fill={colour}
            />
          );
        });
      })}
    </Frame>
  );
}

function Legend({
  parts,
}: {
  readonly parts: readonly { readonly name: string; readonly colour: string }[];
}): ReactNode {
  return (
    <p className={styles['legend']}>
      {parts.map(({ name, colour }) => (
        <span key={name}>
          <i style={{ background: colour }} />
          {name}
        </span>
      ))}
    </p>
  );
}

const cell = { left: 34, top: 4, bottom: 18, tall: 17 } as const;
const heatHeight = cell.top + 7 * cell.tall + cell.bottom;

/** Draws the hours of a week as cells. The longer the line was, the darker is the cell. */
export function Heat({ week }: { readonly week: Week }): ReactNode {
  return (
    <Drawing label="In line by hour and weekday" tall={heatHeight}>
      {(width) => <HeatOfWeek week={week} width={width} />}
    </Drawing>
  );
}

function HeatOfWeek({ week, width }: { readonly week: Week; readonly width: number }): ReactNode {
  const wide = (width - cell.left) / 24;
  const strength = scaleLinear([0, week.longest?.queued ?? 1], [0, 1]);
  return (
    <>
      {week.hours.map((day, weekday) => (
        <g key={weekdays[weekday]}>
          <text x={0} y={cell.top + (weekday + 0.5) * cell.tall + 4}>
            {weekdays[weekday]}
          </text>
          {day.map((queued, hour) => (
            <rect
              key={hour}
              x={cell.left + hour * wide}
              y={cell.top + weekday * cell.tall}
              width={Math.max(1, wide - 2)}
              height={cell.tall - 2}
              rx="2"
              fill={(queued ?? 0) === 0 ? 'var(--grid)' : 'var(--blue-f)'}
              fillOpacity={(queued ?? 0) === 0 ? 1 : 0.2 + 0.8 * strength(queued ?? 0)}
            >
              <title>{`${weekdays[weekday]} ${hourText(hour)}: ${inLineText(queued)}`}</title>
            </rect>
          ))}
        </g>
      ))}
      {[0, 6, 12, 18].map((hour) => (
        <text key={hour} x={cell.left + hour * wide} y={heatHeight - 4}>
          {hourText(hour)}
        </text>
      ))}
    </>
  );
}

export function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** A text such as `2.4 in line`. `queued` null: nothing is known about the hour. */
export function inLineText(queued: number | null): string {
  return queued === null ? 'not known' : `${Number(queued.toFixed(1))} in line`;
}
