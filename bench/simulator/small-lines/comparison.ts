// Compares policies with the best one in small lines.
import { simulate, type Run } from '../../../src/domain/simulation/engine.ts';
import { quantile, sortAscending } from '../../../src/domain/simulation/quantile.ts';
import { draw } from '../../../src/domain/simulation/randomness.ts';
import { parseCell } from '../cell.ts';
import { failureOf } from '../workload.ts';
import { Optimum, type SmallLine } from './optimum.ts';
import { drawSmallWorld, meanBuildMs, smallPolicies } from './world.ts';

export interface SmallLineKind extends Pick<SmallLine, 'arrivals' | 'workers'> {
  /** The share of changes that are bad. Authors differ as on simulated days. */
  readonly failure: number;
}

export interface Effort {
  /** How many lines are drawn, each with the authors of its changes. */
  readonly lines: number;
  /** How many days are simulated for each line, each with other outcomes and durations. */
  readonly days: number;
}

export interface SmallLineFigures {
  /** Of the changes that landed, in mean times of a build. */
  readonly meanWait: number;
  readonly p95: number;
  readonly buildsPerChange: number;
  /** How long workers were busy for each change, in mean times of a build. */
  readonly work: number;
}

export interface SmallLineRow extends SmallLineKind {
  readonly name: string;
  /** The mean wait of the best policy, by the search and not by simulated days. */
  readonly exact: number;
  /** The same for the best policy that keeps the order of the line. */
  readonly exactInOrder: number;
  readonly policies: Readonly<Record<string, SmallLineFigures>>;
}

const atOnce = { arrivals: Infinity, failure: 0.08 } as const;
const steady = { arrivals: 2, failure: 0.08 } as const;

export const usualLines: readonly SmallLineKind[] = [
  ...[1, 2, 4, 20].map((workers) => ({ ...atOnce, workers })),
  { ...atOnce, workers: 4, failure: 0.25 },
  ...[1, 2, 4].map((workers) => ({ ...steady, workers })),
];

const changes = 5;
const authors = 40;
const stream = 70;

function drawLine({ failure, ...kind }: SmallLineKind, seed: number): SmallLine {
  const cell = { ...parseCell(''), failure };
  const failures = Array.from({ length: changes }, (_, at) =>
    failureOf(cell, Math.floor(draw(stream, seed, at) * authors)),
  );
  return { ...kind, failures };
}

export function compareSmallLines(kind: SmallLineKind, effort: Effort): SmallLineRow {
  const lines = Array.from({ length: effort.lines }, (_, seed) => drawLine(kind, seed + 1));
  const optima = lines.map((line) => new Optimum(line));
  const policies = Object.fromEntries(
    Object.entries(smallPolicies).map(([policy, makePolicy]) => {
      const runs = optima.flatMap((optimum, at) =>
        Array.from({ length: effort.days }, (_, day) =>
          simulate(drawSmallWorld(optimum.line, (at + 1) * 100_000 + day), makePolicy(optimum)),
        ),
      );
      return [policy, figuresOf(runs)] as const;
    }),
  );
  const good = lines.reduce((sum, { failures }) => sum + failures.reduce((all, share) => all + 1 - share, 0), 0);
  return {
    ...kind,
    name: nameOf(kind),
    exact: costOf(optima) / good,
    exactInOrder: costOf(lines.map((line) => new Optimum({ ...line, keepsOrder: true }))) / good,
    policies,
  };
}

function costOf(optima: readonly Optimum[]): number {
  return optima.reduce((sum, optimum) => sum + optimum.choose(0, optimum.begin).cost, 0);
}

function figuresOf(runs: readonly Run[]): SmallLineFigures {
  const waits = sortAscending(
    runs.flatMap(({ outcomes }) =>
      outcomes.flatMap(({ kind, at, change }) => (kind === 'landed' ? (at - change.arrivedAt) / meanBuildMs : [])),
    ),
  );
  const perChange = (of: (run: Run) => number): number =>
    runs.reduce((sum, run) => sum + of(run), 0) / (runs.length * changes);
  return {
    meanWait: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
    p95: quantile(waits, 0.95) ?? 0,
    buildsPerChange: perChange(({ builds }) => builds),
    work: perChange(({ work }) => work / meanBuildMs),
  };
}

function nameOf({ arrivals, workers, failure }: SmallLineKind): string {
  return [
    arrivals === Infinity ? 'all at once' : `${arrivals} in the time of a build`,
    workers === 1 ? 'one worker' : `${workers} workers`,
    `${Math.round(failure * 100)} % bad`,
  ].join(', ');
}
