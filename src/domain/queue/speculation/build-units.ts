// The units of building: neighbours of one stack, parts of a failed batch, batches, and otherwise single pull requests.
import type { Batches } from './batches.ts';
import { isFailure } from '../planning/failure.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';
import { halve, isCulpritSearched, findUnexplainedReds } from './culprit-search.ts';
import { isSuspended } from '../planning/line.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import { unitAt } from '../planning/units.ts';

/**
 * Indices, ordered within a unit, and units by their first index. Without pull requests that land now, need no build,
 * or wait for further members.
 */
export function unitsOf(graph: SpeculationGraph, { batches, held }: Batches): readonly (readonly number[])[] {
  const taken = new Set([...graph.landing, ...held]);
  const units: number[][] = [];
  const take = (indices: readonly number[]): void => {
    // The members of a speculative build may have changed their order since.
    const unit = indices.toSorted((a, b) => a - b);
    for (const index of unit) taken.add(index);
    // A pull request between its members would be built before all of them.
    if (isUndivided(graph, unit)) units.push(unit);
    else units.push(...unit.map((index) => [index]));
  };
  const leftOf = ({ members }: SpeculativeBuild): readonly number[] => members.filter((index) => !taken.has(index));
  // Pull requests that are built together stay together until the result is known.
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

/** None of the members skips the line or is a barrier, and the unit overlaps nothing between its members. */
function isUndivided(graph: SpeculationGraph, unit: readonly number[]): boolean {
  const [first = 0] = unit;
  const isApart = (index: number): boolean => {
    const row = graph.line[index];
    return row === undefined || row.skipLine || row.isBarrier;
  };
  return (
    unit.length === 1 ||
    unit.every(
      (index) => !isApart(index) && graph.before(index).every((before) => before < first || unit.includes(before)),
    )
  );
}

/**
 * An earlier build may hold more than a unit may now, because its members have failed a gate with others since. Its
 * result still counts.
 */
function isUnit({ line, view }: SpeculationGraph, { members }: SpeculativeBuild): boolean {
  const rows = members.flatMap((index) => line[index] ?? []);
  const isBisected = rows.some(({ bisection }) => bisection !== null);
  return areOneGroup(rows) && (!isBisected || rows.length <= view.snapshot.rules.batchSize);
}

/** Pull requests that failed together are combined again only in parts, at most of the size of the bisection. */
export function areOneGroup(rows: readonly PullRequestState[]): boolean {
  const group = rows[0]?.bisection?.group ?? null;
  const most = Math.min(...rows.map(({ bisection }) => bisection?.max ?? Infinity));
  return rows.length <= most && rows.every(({ bisection }) => (bisection?.group ?? null) === group);
}

/** Parts of bisected batches, by their first indices. A pull request that is already built alone stays alone. */
function partsOf(graph: SpeculationGraph, taken: ReadonlySet<number>): ReadonlyMap<number, readonly number[]> {
  const open = new Map<string, number[]>();
  const parts = new Map<number, readonly number[]>();
  const { batchSize } = graph.view.snapshot.rules;
  for (const [index, row] of graph.line.entries()) {
    const { bisection, skipValidation } = row;
    if (bisection === null || taken.has(index) || skipValidation) continue;
    // It may conflict with another part of its own batch. Then neither would ever be built.
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
