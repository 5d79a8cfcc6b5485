// Writes the results of a grid: a summary, and a page of tables with a plot for each cell.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownTable, show } from './figures.ts';
import type { Row } from './measurement.ts';
import { plot } from './plot.ts';
import { summarize, type Effort } from './summary.ts';

const header = [
  'policy',
  'days',
  'rules',
  'P50',
  'P95',
  'P99',
  'longest / P99',
  'builds per change',
  'landed per hour',
  'red',
  'ejected unjustly',
];

export interface Findings {
  readonly effort: Effort;
  readonly rows: readonly Row[];
}

/** Writes README.md, tables.md, the plots that tables.md shows, and the rows from which all of them follow. */
export async function writeReport(folder: string, { effort, rows }: Findings): Promise<void> {
  await mkdir(folder, { recursive: true });
  const groups = [...Map.groupBy(rows, (row) => row.cell)];
  for (const [cell, group] of groups) await writeFile(join(folder, plotFile(cell)), plot(cell, group));
  await writeFile(join(folder, 'tables.md'), [introduction, ...groups.map(section)].join('\n'));
  await writeFile(join(folder, 'README.md'), summarize(rows, effort));
  await writeFile(join(folder, rowsFile), [effort, ...rows].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const rowsFile = 'rows.jsonl';

/** Reads what `writeReport` wrote. */
export async function readReport(folder: string): Promise<Findings> {
  const [effort = '', ...rows] = (await readFile(join(folder, rowsFile), 'utf8')).trimEnd().split('\n');
  return { effort: JSON.parse(effort) as Effort, rows: rows.map((row) => JSON.parse(row) as Row) };
}

const introduction = `# The tables of all policies

\`npm run bench:planner\` made this page. [The summary](README.md) says what the tables show, and \`rows.jsonl\` has the same figures for programs. [bench/simulator](../../bench/simulator/README.md) says what is simulated. P50, P95 and P99 are waits, as ratios to the in-order oracle, a policy that knows all outcomes: the mean over the days, and in parentheses the worst day. "Rules" is the version of the rules of our planner. "Longest / P99" is the longest wait of the worst day, divided by that day's P99. "Red" counts red commits of the base branch. "Ejected unjustly" is the share of the changes that were ejected although they would have been green alone on the tip. The plots show P95 against builds: the lower left is best.
`;

function section([cell, rows]: readonly [string, readonly Row[]]): string {
  return `## ${cell.replaceAll(',', ', ')}\n\n${table(rows)}\n\n![P95 against builds per change](${plotFile(cell)})\n`;
}

function plotFile(cell: string): string {
  return `${cell.replaceAll(/[=,]/g, '-')}.svg`;
}

export function table(rows: readonly Row[]): string {
  const lines = rows.toSorted((a, b) => a.p95 - b.p95).map(cellsOf);
  return markdownTable([header, ...lines]);
}

function cellsOf({ worst, ...row }: Row): string[] {
  return [
    row.policy,
    String(row.days),
    (row.plannerVersions ?? []).join(', '),
    ...(['p50', 'p95', 'p99'] as const).map((wait) => `${show(row[wait])} (${show(worst[wait])})`),
    show(row.longest),
    show(row.buildsPerChange),
    row.landedPerHour.toFixed(1),
    String(row.red),
    `${(row.ejectedUnjustly * 100).toFixed(2)} %`,
  ];
}
