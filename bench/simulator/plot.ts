// Draws a plot of policies as SVG. The x-axis has the builds for each change, the y-axis has the P95 of the waits, and
// both are logarithmic. Policies at the lower left are better.
import type { Row } from './measurement.ts';

const size = { width: 720, height: 460 } as const;
const frame = { left: 64, right: 190, top: 40, bottom: 48 } as const;

interface Axis {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

export function plot(cell: string, rows: readonly Row[]): string {
  const x = axis(
    rows.map((row) => row.buildsPerChange),
    { from: frame.left, to: size.width - frame.right },
  );
  const y = axis(
    rows.map((row) => row.p95),
    { from: size.height - frame.bottom, to: frame.top },
  );
  const bottom = size.height - frame.bottom;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    text({ x: frame.left, y: 20, anchor: 'start' }, cell.replaceAll(',', ', ')),
    ...x.ticks.flatMap((tick) => [
      line([x.place(tick), frame.top], [x.place(tick), bottom]),
      text({ x: x.place(tick), y: bottom + 16, anchor: 'middle' }, String(tick)),
    ]),
    ...y.ticks.flatMap((tick) => [
      line([frame.left, y.place(tick)], [size.width - frame.right, y.place(tick)]),
      text({ x: frame.left - 6, y: y.place(tick) + 4, anchor: 'end' }, String(tick)),
    ]),
    text(
      { x: (frame.left + size.width - frame.right) / 2, y: size.height - 10, anchor: 'middle' },
      'builds per change',
    ),
    `<g transform="rotate(-90)">${text({ x: -(frame.top + bottom) / 2, y: 16, anchor: 'middle' }, 'P95 of the wait, to the in-order oracle')}</g>`,
    ...labels(rows, { x, y }),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/** The names are in a column at the right, in the order of their points, so that no name covers another. */
function labels(rows: readonly Row[], { x, y }: { readonly x: Axis; readonly y: Axis }): string[] {
  let free = frame.top;
  return rows
    .toSorted((a, b) => b.p95 - a.p95)
    .flatMap((row) => {
      const [atX, atY] = [x.place(row.buildsPerChange), y.place(row.p95)];
      const labelY = Math.max(free, atY);
      free = labelY + 14;
      const color = row.policy === 'interlock' ? '#c2410c' : '#334155';
      const labelX = size.width - frame.right + 12;
      return [
        line([atX, atY], [labelX - 3, labelY], '#cbd5e1'),
        `<circle cx="${round(atX)}" cy="${round(atY)}" r="4" fill="${color}"/>`,
        text({ x: labelX, y: labelY + 4, anchor: 'start', color }, row.policy),
      ];
    });
}

function axis(values: readonly number[], span: { readonly from: number; readonly to: number }): Axis {
  const low = Math.log(Math.min(...values) * 0.9);
  const high = Math.log(Math.max(...values) * 1.1);
  const candidates = [
    0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500,
  ];
  const within = candidates.filter((tick) => Math.log(tick) >= low && Math.log(tick) <= high);
  return {
    place: (value) => span.from + ((Math.log(value) - low) / (high - low)) * (span.to - span.from),
    ticks: within,
  };
}

type Point = readonly [number, number];

function line([x1, y1]: Point, [x2, y2]: Point, color = '#e2e8f0'): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}"/>`;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly color?: string;
}

function text({ x, y, anchor, color = '#334155' }: Place, label: string): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${color}">${label}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
