// What a grid showed, as a page of tables and a plot for each cell.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FullRow } from './measurement.ts';
import { plot } from './plot.ts';

export interface Effort {
  readonly seeds: string;
  readonly changes: number;
  readonly past: number;
}

const header = [
  'policy',
  'P50',
  'P95',
  'P99',
  'longest / P99',
  'builds per change',
  'landed per hour',
  'red',
  'ejected unjustly',
];

/** Into `folder`: README.md and the plots it shows. */
export async function writeReport(
  folder: string,
  rows: readonly FullRow[],
  { seeds, changes, past }: Effort,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const sections: string[] = [];
  for (const [cell, group] of Map.groupBy(rows, (row) => row.cell)) {
    const file = `${cell.replaceAll(/[=,]/g, '-')}.svg`;
    await writeFile(join(folder, file), plot(cell, group));
    sections.push(`## ${cell.replaceAll(',', ', ')}\n\n${table(group)}\n\n![P95 against builds per change](${file})\n`);
  }
  const intro = `# The planner among its rivals

Made by \`npm run bench:planner\` (seeds ${seeds}, ${changes} changes a day; learning policies know the outcome of ${past} earlier changes). [bench/simulator](../../bench/simulator/README.md) says what is simulated and how to read the tables. Times are ratios to the in-order oracle, which knows all outcomes. The longest wait is that of the worst day, as a multiple of that day's P99. The plots show P95 and builds: better is further down and to the left.
`;
  await writeFile(join(folder, 'README.md'), [intro, ...sections].join('\n'));
}

export function table(rows: readonly FullRow[]): string {
  const lines = rows.toSorted((a, b) => a.p95 - b.p95).map(cellsOf);
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf(row: FullRow): string[] {
  return [
    row.policy,
    ...[row.p50, row.p95, row.p99, row.longest, row.buildsPerChange].map((value) => value.toFixed(2)),
    row.landedPerHour.toFixed(1),
    String(row.red),
    `${(row.ejectedUnjustly * 100).toFixed(2)} %`,
  ];
}
