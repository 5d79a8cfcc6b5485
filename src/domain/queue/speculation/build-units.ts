// What is built together: neighbours of one stack, parts of what failed together, batches, and otherwise one by one.
import type { Batches } from './batches.ts';
import { isFailure } from '../planning/failure.ts';
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';
import { halve, isCulpritSearched, findUnexplainedReds } from './culprit-search.ts';
import { isSuspended } from '../planning/line.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import { unitAt } from '../planning/units.ts';

/** Places, in order within a unit and by the first of each. Without those that land now, need no build or wait for company. */
export function unitsOf(graph: SpeculationGraph, { batches, held }: Batches): readonly (readonly number[])[] {
  const taken = new Set([...graph.landing, ...held]);
  const units: number[][] = [];
  const take = (indices: readonly number[]): void => {
    // Members of a speculative build may have changed places since.
    const unit = indices.toSorted((a, b) => a - b);
    for (const index of unit) taken.add(index);
    // What stands between its members would be built before all of them.
    if (isUndivided(graph, unit)) units.push(unit);
    else units.push(...unit.map((index) => [index]));
  };
  const leftOf = ({ members }: SpeculativeBuild): readonly number[] => members.filter((index) => !taken.has(index));
  // What is asked together stays together until there is an answer.
  const fitting = graph.builds.filter((build) => isUnit(graph, build));
  for (const build of fitting) {
    if (isFailure(build.verdict) && isCulpritSearched(graph, build)) continue;
    const left = leftOf(build);
    if (build.members.length > 1 && left.length > 0) take(left);
  }
  for (const build of findUnexplainedReds(graph)) for (const half of halve(graph, leftOf(build))) take(half);
  const asked = new Set(fitting.flatMap(({ members }) => members));
  const parts = partsOf(graph, new Set([...taken, ...asked]));
  for (const batch of batches) if (batch.every((index) => !taken.has(index))) take(batch);
  for (const [index, { skipValidation }] of graph.line.entries()) {
    if (taken.has(index) || skipValidation) continue;
    take(parts.get(index) ?? stackAt(graph, index, taken));
  }
  return units.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

/** Nobody in it goes ahead of the others or holds all up, and it overlaps nothing that stands between its members. */
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

/** What was asked before it failed a gate with others may hold more than is asked together since: what it said stands all the same. */
function isUnit({ line, view }: SpeculationGraph, { members }: SpeculativeBuild): boolean {
  const rows = members.flatMap((index) => line[index] ?? []);
  const isBisected = rows.some(({ bisection }) => bisection !== null);
  return areOneGroup(rows) && (!isBisected || rows.length <= view.snapshot.rules.batchSize);
}

/** What failed together is put together again in parts alone, as large as they were to be tried. */
export function areOneGroup(rows: readonly PullRequestState[]): boolean {
  const group = rows[0]?.bisection?.group ?? null;
  const most = Math.min(...rows.map(({ bisection }) => bisection?.max ?? Infinity));
  return rows.length <= most && rows.every(({ bisection }) => (bisection?.group ?? null) === group);
}

/** Parts of bisected batches, by their first indices. Who is built alone already stays so. */
function partsOf(graph: SpeculationGraph, taken: ReadonlySet<number>): ReadonlyMap<number, readonly number[]> {
  const open = new Map<string, number[]>();
  const parts = new Map<number, readonly number[]>();
  const { batchSize } = graph.view.snapshot.rules;
  for (const [index, row] of graph.line.entries()) {
    const { bisection, skipValidation } = row;
    if (bisection === null || taken.has(index) || skipValidation) continue;
    // It may not merge behind another part of its own: then neither would ever be built.
    if (isSuspended(graph.view, row)) continue;
    const part = open.get(bisection.group);
    if (part !== undefined && part.length < Math.min(batchSize, bisection.max)) {
      part.push(index);
      continue;
    }
    const begun = [index];
    open.set(bisection.group, begun);
    parts.set(index, begun);
  }
  return parts;
}

function stackAt(graph: SpeculationGraph, index: number, taken: ReadonlySet<number>): readonly number[] {
  if (graph.line[index]?.stack === null) return [index];
  const stack = unitAt(graph.view, index).map((_, offset) => index + offset);
  const end = stack.findIndex((member) => taken.has(member));
  return end === -1 ? stack : stack.slice(0, end);
}
