// `node bench/simulator/bounds.ts --cell rate=500,workers=500` computes bounds that no policy can beat in a cell. The
// bounds assume that there is a worker for every build, and that a build always takes as long as its slowest member.
import { parseArgs } from 'node:util';
import type { Change, PolicySetup } from '../../src/domain/simulation/policy.ts';
import { overlap } from '../../src/domain/queue/model/overlap.ts';
import { quantile, sortAscending } from '../../src/domain/simulation/quantile.ts';
import { nameCell, parseCell, type Cell } from './cell.ts';
import { enumerateAssumptionSets, rankAssumptions } from './speculation/most-probable.ts';
import { drawDay, failureOf } from './workload.ts';

const { values } = parseArgs({
  options: {
    cell: { type: 'string', multiple: true, default: [] },
    seeds: { type: 'string', default: '3' },
    changes: { type: 'string', default: '500' },
  },
});

interface Stay {
  readonly change: Change;
  readonly isGood: boolean;
  /** When the build of the change alone has ended. */
  readonly doneAt: number;
  /** The indexes of the earlier changes that the change overlaps. */
  readonly before: readonly number[];
}

/** Decides which changes land, as if all changes were judged in order. */
function staysOf({ changes, truth }: PolicySetup): Stay[] {
  const landed = new Set<number>();
  return changes.map((change, index) => {
    const lastsMs = truth.durationOf({ members: [change.number], tree: change.number, attempt: 1 });
    const isGood = truth.isGreen(landed, [change.number]);
    if (isGood) landed.add(change.number);
    const before = changes.slice(0, index).flatMap(({ targets }, at) => (overlap(targets, change.targets) ? at : []));
    return { change, isGood, doneAt: change.arrivedAt + lastsMs, before };
  });
}

/**
 * When each change leaves the queue if changes leave in order, and each change lands by its own build. `reds`: how many
 * builds in a row a bad change gets.
 */
function inOrder(stays: readonly Stay[], reds: number): number[] {
  const goneAt: number[] = [];
  for (const { change, isGood, doneAt, before } of stays) {
    const settledAt = isGood ? doneAt : change.arrivedAt + reds * (doneAt - change.arrivedAt);
    goneAt.push(before.reduce((latest, at) => Math.max(latest, goneAt[at] ?? 0), settledAt));
  }
  return goneAt;
}

/**
 * When each change leaves the queue if changes leave in order, and the build of any later good change may also land it.
 * No policy that keeps the order lands changes sooner.
 */
function inOrderByAnyBuild(stays: readonly Stay[], reds: number): number[] {
  const builtAt: number[] = [];
  stays.reduceRight((soonest, { isGood, doneAt }, at) => {
    builtAt[at] = isGood ? Math.min(soonest, doneAt) : soonest;
    return builtAt[at];
  }, Infinity);
  return inOrder(
    stays.map((stay, at) => (stay.isGood ? { ...stay, doneAt: builtAt[at] ?? stay.doneAt } : stay)),
    reds,
  );
}

function p95(stays: readonly Stay[], goneAt: readonly number[]): number {
  const waits = stays.flatMap(({ change, isGood }, at) => (isGood ? [(goneAt[at] ?? 0) - change.arrivedAt] : []));
  return quantile(sortAscending(waits), 0.95) ?? 0;
}

/**
 * How many builds for each change must start at its arrival, so that the wanted share of changes gets the build that it
 * turns out to need. Without knowledge of the outcomes, no choice is better than the most probable builds.
 */
function buildsToCover(stays: readonly Stay[], cell: Cell, shares: readonly number[]): number[] {
  const goneAt = inOrder(stays, 1);
  const ranked = stays.map(({ change, before }) => {
    const open = before.filter((at) => (goneAt[at] ?? 0) > change.arrivedAt);
    const outlooks = open.map((at) => {
      const leaves = Math.max(1e-6, failureOf(cell, stays[at]?.change.author ?? 0));
      return { change: at, lands: 1 - leaves, leaves };
    });
    return rankAssumptions({ change, undecided: new Set(), key: 0, paths: [], version: 0 }, outlooks);
  });
  const covered: number[] = [];
  let [mass, builds] = [0, 0];
  for (const { probability } of enumerateAssumptionSets(ranked)) {
    mass += probability / stays.length;
    builds += 1;
    while (mass >= (shares[covered.length] ?? Infinity)) covered.push(builds / stays.length);
    if (covered.length === shares.length || builds > maxBuilds * stays.length) break;
  }
  return shares.map((_, at) => covered[at] ?? Infinity);
}

const shares = [0.9, 0.95, 0.99];
/** The search ends at this many builds for each change. */
const maxBuilds = 100;

function boundsOf(cell: Cell, seed: number): number[] {
  const stays = staysOf(drawDay(cell, { seed, changes: Number(values.changes) }));
  const oracle = p95(stays, inOrder(stays, 1));
  const own = stays.map(({ doneAt }) => doneAt);
  const ways = [own, inOrderByAnyBuild(stays, 1), inOrder(stays, 2), inOrderByAnyBuild(stays, 2)].map(
    (goneAt) => p95(stays, goneAt) / oracle,
  );
  return [...ways, ...buildsToCover(stays, cell, shares)];
}

const header = [
  'cell',
  'any order',
  'any build',
  'red twice',
  'any build, red twice',
  ...shares.map((share) => `builds for ${share * 100} %`),
];
const rows = values.cell.map(parseCell).map((cell) => {
  const days = Array.from({ length: Number(values.seeds) }, (_, day) => boundsOf(cell, day + 1));
  const means = days[0]?.map((_, at) => days.reduce((sum, day) => sum + (day[at] ?? NaN), 0) / days.length) ?? [];
  return [nameCell(cell), ...means.map((mean) => (Number.isFinite(mean) ? mean.toFixed(2) : `more than ${maxBuilds}`))];
});
console.log([header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n'));
