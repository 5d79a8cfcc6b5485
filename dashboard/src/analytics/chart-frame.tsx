// What the charts of the page of analytics share: the frame with a title and a figure, and the table that shows the same
// numbers as a chart.
import type { ReactNode } from 'react';
import parts from '../design/parts.module.css';
import type { AnalyticsQuery } from '../generated/analytics.ts';
import { Stacks, type Series } from './charts.tsx';
import styles from './analytics.module.css';

export type Analytics = NonNullable<AnalyticsQuery['repository']>['analytics'];

export const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** A section of the page with a title. */
export function ChartFrame({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className={styles['chart']} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

export function Chart({
  title,
  figure,
  about,
  children,
}: {
  readonly title: string;
  /** The figure that sums the chart up. Null: there is nothing to count. */
  readonly figure: string | null;
  /** What the figure is. Without a figure, the sentence that says why there is none, in place of the chart. */
  readonly about: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <ChartFrame title={title}>
      {figure === null ? (
        <p className="dim">{about}</p>
      ) : (
        <>
          <p className={styles['figure']}>
            {figure} <small>{about}</small>
          </p>
          {children}
        </>
      )}
    </ChartFrame>
  );
}

export function Table({
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

/** The counts of each day, as stacks or as a table. */
export function Counted({
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
