// `npm run bench:planner` compares the planner with other policies in simulated days.
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { parseCell, type Cell } from './cell.ts';
import { measureAll } from './crew.ts';
import { grid } from './grid.ts';
import { rowsOf, type Task } from './measurement.ts';
import { referencePolicy, policies } from './policies/index.ts';
import { table, writeReport } from './report.ts';

interface Options {
  readonly json: boolean;
  readonly seeds: string;
  readonly changes: string;
  readonly past: string;
  readonly cell: string[];
  readonly policy?: string;
  readonly out?: string;
  readonly threads: string;
}

const values = new Command('npm run bench:planner --')
  .description('Compares the planner with other policies in simulated days: docs/simulator.md.')
  .option('--json', 'print one JSON document instead of tables', false)
  .option('--seeds <n>', 'which random numbers to draw, such as 1-10', '1')
  .option('--changes <n>', 'how many changes arrive in a day', '500')
  .option('--past <n>', 'changes before the measured day, whose outcomes policies know', '2000')
  .option('--cell <cell>', 'only this cell; may be repeated', (cell, before: string[]) => [...before, cell], [])
  .option('--policy <name,…>', 'only these policies')
  .option('--out <folder>', 'where the report is written')
  .option('--threads <n>', 'how many threads run', String(availableParallelism()))
  .parse()
  .opts<Options>();

const shown = values.policy?.split(',') ?? Object.keys(policies);
const cells: readonly Cell[] = values.cell.length === 0 ? grid : values.cell.map(parseCell);
const tasks: Task[] = cells.flatMap((cell) =>
  seedsOf(values.seeds).flatMap((seed) =>
    [...new Set([referencePolicy, ...shown])].map((policy) => ({
      ...{ cell, seed, policy },
      ...{ changes: Number(values.changes), past: Number(values.past) },
    })),
  ),
);
const rows = rowsOf(await measureAll(tasks, Number(values.threads)), shown);
if (values.json)
  console.log(
    JSON.stringify(
      rows.map(({ longest: _longest, ...row }) => row),
      null,
      2,
    ),
  );
else {
  for (const [cell, group] of Map.groupBy(rows, (row) => row.cell)) console.log(`\n${cell}\n\n${table(group)}`);
  // Only the results of the whole grid are committed.
  const isWhole = values.cell.length === 0 && values.policy === undefined;
  const folder = values.out ?? (isWhole ? 'docs/planner' : null);
  if (folder !== null)
    await writeReport(folder, rows, {
      ...{ seeds: values.seeds, changes: Number(values.changes), past: Number(values.past) },
    });
}

/** Reads seeds such as `1-10`, `3` or `1,5,7-9`. */
function seedsOf(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [first = NaN, last = first] = part.split('-').map(Number);
    if (!Number.isInteger(first) || !Number.isInteger(last) || last < first)
      throw new Error(`--seeds ${text}: must be numbers and ranges such as 1-10.`);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
