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
  const intro = `# The planner compared with other policies

\`npm run bench:planner\` made this page (seeds ${seeds}, ${changes} changes a day; policies that learn know the outcomes of ${past} earlier changes). [bench/simulator](../../bench/simulator/README.md) says what is simulated and how to read the tables. P50, P95 and P99 are waits, as ratios to the in-order oracle, a policy that knows all outcomes. "Longest / P99" is the longest wait of the worst day, divided by that day's P99. The plots show P95 against builds: the lower left is best.
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
