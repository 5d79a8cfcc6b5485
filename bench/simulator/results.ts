// The file of measured days, one in a line. A day is written as soon as it is measured, so that a run that is cut goes
// on where it was.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../src/platform/project-root.ts';
import { nameCell, parseCell } from './cell.ts';
import type { Task } from './measurement.ts';
import type { MeasuredTask } from './rows.ts';

interface Line {
  readonly cell: string;
  readonly task: Omit<Task, 'cell'>;
  readonly measurement: MeasuredTask['measurement'];
  readonly tookSec: number;
}

export class Results {
  readonly file: string;
  readonly #measured = new Map<string, MeasuredTask>();

  /** Reads the days that are in the file. The file may be missing, and its last line may be cut. */
  constructor(file: string) {
    this.file = file;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const complete = text.slice(0, text.lastIndexOf('\n') + 1);
    if (complete !== text) writeFileSync(file, complete);
    for (const line of complete.split('\n').slice(0, -1)) {
      const { cell, task, measurement } = JSON.parse(line) as Line;
      const measured = { task: { ...task, cell: parseCell(cell) }, measurement };
      this.#measured.set(keyOf(measured.task), measured);
    }
  }

  get(task: Task): MeasuredTask | undefined {
    return this.#measured.get(keyOf(task));
  }

  add(measured: MeasuredTask, tookSec: number): void {
    this.#measured.set(keyOf(measured.task), measured);
    const { cell, ...task } = measured.task;
    const line: Line = { cell: nameCell(cell), task, measurement: measured.measurement, tookSec };
    mkdirSync(dirname(this.file), { recursive: true });
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

function keyOf({ cell, policy, seed, changes, past }: Task): string {
  return `${nameCell(cell)} ${policy} ${seed} ${changes} ${past ?? 0}`;
}

/**
 * The file that is used if no file is named. Its name is a digest of the code that decides about the results, so that
 * days measured with other code do not count.
 */
export function usualResultsFile(): string {
  const source = fileURLToPath(new URL('../..', import.meta.url));
  const digest = createHash('sha256');
  for (const folder of ['src/domain', 'bench/simulator'])
    for (const file of readdirSync(join(source, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort())
      digest.update(relative(source, file)).update(readFileSync(file));
  return join(projectRoot, 'node_modules/.cache/interlock/planner', `${digest.digest('hex').slice(0, 16)}.jsonl`);
}
