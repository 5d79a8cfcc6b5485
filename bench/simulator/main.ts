// `npm run bench:planner` compares the planner with other policies in simulated days.
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { nameCell, parseCell, type Cell } from './cell.ts';
import { measureAll } from './crew.ts';
import { grid } from './grid.ts';
import type { Row, Task } from './measurement.ts';
import { referencePolicy, policies } from './policies/index.ts';
import { table, writeReport } from './report.ts';
import { Results, usualResultsFile } from './results.ts';
import { rowsOf, type MeasuredTask } from './rows.ts';
import { seedsOf } from './seeds.ts';

interface Options {
  readonly json: boolean;
  readonly seeds: string;
  readonly changes: string;
  readonly past: string;
  readonly cell: string[];
  readonly policy?: string;
  readonly out?: string;
  readonly threads: string;
  readonly results?: string;
  readonly report: boolean;
}

const values = new Command('npm run bench:planner --')
  .description('Compares the planner with other policies in simulated days: docs/simulator.md.')
  .option('--json', 'print one JSON document instead of tables', false)
  .option('--seeds <n>', 'how many days of each cell, or which random numbers to draw, such as 3-5 or 1,7', '10')
  .option('--changes <n>', 'how many changes arrive in a day', '1200')
  .option('--past <n>', 'changes before the measured day, whose outcomes policies know', '2000')
  .option('--cell <cell>', 'only this cell; may be repeated', (cell, before: string[]) => [...before, cell], [])
  .option('--policy <name,…>', 'only these policies')
  .option('--results <file>', 'the measured days, one in a line; days that it contains are not measured again')
  .option('--report', 'measure nothing, and report the days that are measured already', false)
  .option('--out <folder>', 'where the report is written')
  .option('--threads <n>', 'how many threads run', String(availableParallelism()))
  .parse()
  .opts<Options>();

const effort = { changes: Number(values.changes), past: Number(values.past) };
const shown = values.policy?.split(',') ?? Object.keys(policies);
const cells: readonly Cell[] = values.cell.length === 0 ? grid : values.cell.map(parseCell);
// All cells of a seed come before the next seed, so that a run that is cut has whole grids.
const tasks: Task[] = seedsOf(values.seeds).flatMap((seed) =>
  cells.flatMap((cell) =>
    [...new Set([referencePolicy, ...shown])].map((policy) => ({ cell, seed, policy, ...effort })),
  ),
);
const results = new Results(values.results ?? usualResultsFile());
if (!values.report) await measureMissing();
const measured = tasks.flatMap((task) => results.get(task) ?? []);
const rows = rowsOf(measured, shown);
if (values.json) console.log(JSON.stringify(rows, null, 2));
else await report(rows);

async function measureMissing(): Promise<void> {
  const missing = tasks.filter((task) => results.get(task) === undefined);
  let done = tasks.length - missing.length;
  console.error(`${done} of ${tasks.length} days are measured already, in ${results.file}.`);
  await measureAll(missing, Number(values.threads), (each, tookSec) => {
    results.add(each, tookSec);
    done += 1;
    console.error(`${done} of ${tasks.length}: ${describe(each)}, after ${tookSec.toFixed(1)} s`);
  });
}

function describe({ task, measurement }: MeasuredTask): string {
  return `${nameCell(task.cell)}, seed ${task.seed}, ${task.policy}: P95 ${measurement.p95.toFixed(0)} minutes`;
}

async function report(found: readonly Row[]): Promise<void> {
  for (const [cell, group] of Map.groupBy(found, (row) => row.cell)) console.log(`\n${cell}\n\n${table(group)}`);
  // Only the results of the whole grid are committed.
  const isWhole = values.cell.length === 0 && values.policy === undefined;
  const folder = values.out ?? (isWhole ? 'docs/planner' : null);
  if (folder !== null) await writeReport(folder, { rows: found, effort });
}
