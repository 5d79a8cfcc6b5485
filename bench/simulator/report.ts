// Writes the results of a grid: a summary, and a page of tables with a plot for each cell.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FullRow } from './measurement.ts';
import { plot } from './plot.ts';
import { summarize, type Effort } from './summary.ts';

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

/** Writes README.md, tables.md and the plots that tables.md shows into `folder`. */
export async function writeReport(folder: string, rows: readonly FullRow[], effort: Effort): Promise<void> {
  await mkdir(folder, { recursive: true });
  const groups = [...Map.groupBy(rows, (row) => row.cell)];
  for (const [cell, group] of groups) await writeFile(join(folder, plotFile(cell)), plot(cell, group));
  await writeFile(join(folder, 'tables.md'), [introduction, ...groups.map(section)].join('\n'));
  await writeFile(join(folder, 'README.md'), summarize(rows, effort));
}

const introduction = `# The tables of all policies

\`npm run bench:planner\` made this page. [The summary](README.md) says with which seeds, and what the tables show. [bench/simulator](../../bench/simulator/README.md) says what is simulated. P50, P95 and P99 are waits, as ratios to the in-order oracle, a policy that knows all outcomes. "Longest / P99" is the longest wait of the worst day, divided by that day's P99. "Red" counts red commits of the base branch. "Ejected unjustly" is the share of the changes that were ejected although they would have been green alone on the tip. The plots show P95 against builds: the lower left is best.
`;

function section([cell, rows]: readonly [string, readonly FullRow[]]): string {
  return `## ${cell.replaceAll(',', ', ')}\n\n${table(rows)}\n\n![P95 against builds per change](${plotFile(cell)})\n`;
}

function plotFile(cell: string): string {
  return `${cell.replaceAll(/[=,]/g, '-')}.svg`;
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
