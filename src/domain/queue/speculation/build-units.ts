// Units are the pull requests that become members of one build: neighbours of one stack, a part of a failed batch, a
// batch, or a single pull request.
import type { Batches } from './batches.ts';
import { isFailure } from '../planning/failure.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';
import { halve, isCulpritSearched, findUnexplainedReds } from './culprit-search.ts';
import { isSuspended } from '../planning/line.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import { unitAt } from '../planning/units.ts';

/**
 * The units, ordered by their first index, as ascending indices. Pull requests that land now, skip validation, or wait
 * for further members of a batch are in no unit.
 */
export function unitsOf(graph: SpeculationGraph, { batches, held }: Batches): readonly (readonly number[])[] {
  const taken = new Set([...graph.landing, ...held]);
  const units: number[][] = [];
  const take = (indices: readonly number[]): void => {
    // The order of the members may have changed since their build started.
    const unit = indices.toSorted((a, b) => a - b);
    for (const index of unit) taken.add(index);
    // A unit is divided if it overlaps a pull request between its members, because that pull request would be built
    // before all members.
    if (isUndivided(graph, unit)) units.push(unit);
    else units.push(...unit.map((index) => [index]));
  };
  const leftOf = ({ members }: SpeculativeBuild): readonly number[] => members.filter((index) => !taken.has(index));
  // Pull requests of one running build stay together until the result is known.
  const fitting = graph.builds.filter((build) => isUnit(graph, build));
  for (const build of fitting) {
    if (isFailure(build.verdict) && isCulpritSearched(graph, build)) continue;
    const left = leftOf(build);
    if (build.members.length > 1 && left.length > 0) take(left);
  }
  for (const build of findUnexplainedReds(graph)) for (const half of halve(graph, leftOf(build))) take(half);
  const builtTogether = new Set(fitting.flatMap(({ members }) => members));
  const parts = partsOf(graph, new Set([...taken, ...builtTogether]));
  for (const batch of batches) if (batch.every((index) => !taken.has(index))) take(batch);
  for (const [index, { skipValidation }] of graph.line.entries()) {
    if (taken.has(index) || skipValidation) continue;
    take(parts.get(index) ?? stackAt(graph, index, taken));
  }
  return units.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

/**
 * Whether the unit may be built as a whole: no member skips the line or is a barrier, and the unit overlaps no pull
 * request between its members.
 */
function isUndivided(graph: SpeculationGraph, unit: readonly number[]): boolean {
  const [first = 0] = unit;
  const isBuiltAlone = (index: number): boolean => {
    const row = graph.line[index];
    return row === undefined || row.skipLine || row.isBarrier;
  };
  return (
    unit.length === 1 ||
    unit.every(
      (index) => !isBuiltAlone(index) && graph.before(index).every((before) => before < first || unit.includes(before)),
    )
  );
}

/**
 * Whether the members of an existing build still are a unit. They are not if they failed with others since, and are in
 * different groups or too many for one part. The result of the build still counts.
 */
function isUnit({ line, view }: SpeculationGraph, { members }: SpeculativeBuild): boolean {
  const rows = members.flatMap((index) => line[index] ?? []);
  const isBisected = rows.some(({ bisection }) => bisection !== null);
  return areOneGroup(rows) && (!isBisected || rows.length <= view.snapshot.rules.batchSize);
}

/**
 * Whether these pull requests may be built together. Pull requests that failed together are built together only in
 * parts of at most the size that the bisection decided.
 */
export function areOneGroup(rows: readonly PullRequestState[]): boolean {
  const group = rows[0]?.bisection?.group ?? null;
  const max = Math.min(...rows.map(({ bisection }) => bisection?.max ?? Infinity));
  return rows.length <= max && rows.every(({ bisection }) => (bisection?.group ?? null) === group);
}

/** Parts of bisected batches, by their first indices. Pull requests in `taken` have their own units already. */
function partsOf(graph: SpeculationGraph, taken: ReadonlySet<number>): ReadonlyMap<number, readonly number[]> {
  const open = new Map<string, number[]>();
  const parts = new Map<number, readonly number[]>();
  const { batchSize } = graph.view.snapshot.rules;
  for (const [index, row] of graph.line.entries()) {
    const { bisection, skipValidation } = row;
    if (bisection === null || taken.has(index) || skipValidation) continue;
    // A suspended pull request gets no part, because it may conflict with another member. Then neither would ever be
    // built.
    if (isSuspended(graph.view, row)) continue;
    const part = open.get(bisection.group);
    if (part !== undefined && part.length < Math.min(batchSize, bisection.max)) {
      part.push(index);
      continue;
    }
    const started = [index];
    open.set(bisection.group, started);
    parts.set(index, started);
  }
  return parts;
}

function stackAt(graph: SpeculationGraph, index: number, taken: ReadonlySet<number>): readonly number[] {
  if (graph.line[index]?.stack === null) return [index];
  const stack = unitAt(graph.view, index).map((_, offset) => index + offset);
  const end = stack.findIndex((member) => taken.has(member));
  return end === -1 ? stack : stack.slice(0, end);
}
