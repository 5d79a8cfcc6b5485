// Charts as SVG: scales and shapes by d3, colours by tokens.
import type { ReactNode } from 'react';
import { scaleLinear, scalePoint } from 'd3-scale';
import { area, curveMonotoneX, line } from 'd3-shape';
import { describeDuration } from '../design/time.tsx';
import styles from './analytics.module.css';

const width = 480;
const height = 150;
const edge = { left: 44, right: 6, top: 6, bottom: 20 } as const;

export interface Series {
  readonly dates: readonly string[];
  readonly parts: readonly { readonly name: string; readonly colour: string; readonly values: readonly number[] }[];
}

interface DayOfWaits {
  readonly date: string;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
}

function Frame({
  label,
  top,
  textOf,
  dates,
  children,
}: {
  readonly label: string;
  readonly top: number;
  readonly textOf: (value: number) => string;
  readonly dates: readonly string[];
  readonly children: ReactNode;
}): ReactNode {
  const y = scaleLinear([0, top], [height - edge.bottom, edge.top]);
  const ticks = y.ticks(3);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} className={styles['svg']}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={edge.left} x2={width - edge.right} y1={y(tick)} y2={y(tick)} />
          <text x={edge.left - 6} y={y(tick) + 4} textAnchor="end">
            {textOf(tick)}
          </text>
        </g>
      ))}
      <text x={edge.left} y={height - 4}>
        {dates[0]}
      </text>
      <text x={width - edge.right} y={height - 4} textAnchor="end">
        {dates.at(-1)}
      </text>
      {children}
    </svg>
  );
}

/** The middle as a line, and above it the band in which nine of ten are. Values in seconds. */
export function Band({ days }: { readonly days: readonly DayOfWaits[] }): ReactNode {
  const top = Math.max(60, ...days.map(({ p90 }) => p90));
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
  // A line through one point is not seen.
  const only = days.length === 1 ? days[0] : undefined;
  return (
    <>
      <Frame
        label="Time in queue by day"
        top={top}
        textOf={(seconds) => describeDuration(seconds * 1000)}
        dates={dates}
      >
        <path d={band([...days]) ?? ''} fill="var(--blue-s)" stroke="var(--blue-f)" />
        <path d={mid([...days]) ?? ''} fill="none" stroke="var(--ink)" strokeWidth="1.5" />
        {only !== undefined && (
          <>
            <rect x={at(only) - 4} width="8" y={y(only.p90)} height={y(only.p75) - y(only.p90)} fill="var(--blue-f)" />
            <circle cx={at(only)} cy={y(only.p50)} r="3" fill="var(--ink)" />
          </>
        )}
      </Frame>
      <Legend
        parts={[
          { name: 'p50', colour: 'var(--ink)' },
          { name: 'p75 to p90', colour: 'var(--blue-f)' },
        ]}
      />
    </>
  );
}

/** Counts of each day, on top of each other. */
export function Stacks({ series }: { readonly series: Series }): ReactNode {
  const { dates, parts } = series;
  const sums = dates.map((_, index) => parts.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const top = Math.max(4, ...sums);
  const y = scaleLinear([0, top], [height - edge.bottom, edge.top]);
  const step = (width - edge.left - edge.right) / Math.max(1, dates.length);
  return (
    <>
      <Frame label="Counts by day" top={top} textOf={String} dates={dates}>
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
      <Legend parts={parts} />
    </>
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
