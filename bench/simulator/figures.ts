// How the pages of the planner show figures and name kinds of days.
import { parseCell } from './cell.ts';
import type { Figures, Row } from './measurement.ts';

export const show = (value: number): string => value.toFixed(2);
export const percent = (share: number): string => `${Number((share * 100).toFixed(2))} %`;

export function roundRow(row: Row): Row {
  return {
    ...row,
    ...roundFigures(row),
    worst: roundFigures(row.worst),
    interlock: row.interlock === null ? null : roundFigures(row.interlock),
    longest: round(row.longest),
  };
}

function roundFigures({ p50, p95, p99, buildsPerChange }: Figures): Figures {
  return { p50: round(p50), p95: round(p95), p99: round(p99), buildsPerChange: round(buildsPerChange) };
}

function round(value: number): number {
  return Number(value.toFixed(2));
}

/** The cell as text, such as `500 an hour, 500 workers, overlap 0.5`, and what is unusual about the day. */
export function nameDay(text: string): string {
  const cell = parseCell(text);
  const usual = parseCell('');
  return [
    `${cell.rate} an hour`,
    cell.workers === 1 ? 'one worker' : `${cell.workers} workers`,
    cell.overlap === 1 ? 'targets unknown' : `overlap ${cell.overlap}`,
    ...(cell.failure === usual.failure ? [] : [`${percent(cell.failure)} failures`]),
    ...(cell.flake === usual.flake ? [] : [`${percent(cell.flake)} flakes`]),
    ...(cell.median === usual.median ? [] : [`builds of ${cell.median} minutes`]),
    ...(cell.zipf === usual.zipf ? [] : [`Zipf ${cell.zipf}`]),
    ...(cell.burst === usual.burst ? [] : ['bursts']),
    ...(cell.draw === usual.draw ? [] : ['a time for each build']),
  ].join(', ');
}

/** A table of Markdown. The first line is the header. */
export function markdownTable([header = [], ...lines]: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
