// Groups pull requests without a build into batches. The members of a batch are neighbours in one component of the
// conflict graph.
import { isInIsolatedRetry } from './isolated-retry.ts';
import { isFailure } from '../planning/failure.ts';
import { countAllowed, type SpeculationGraph } from './graph.ts';
import { isBuiltAlone } from '../planning/units.ts';
import { overlapsAll } from './reorderable.ts';
import { isCulpritSearched, findSmallestReds } from './culprit-search.ts';

/**
 * Batches are formed when the number of waiting pull requests, divided by the number of builds that may run at once,
 * reaches the first constant. They are formed until the quotient falls below the second constant.
 */
const startShare = 1;
const stopShare = 0.25;

/** A component whose share of the builds is smaller is treated as if it had one build at a time. */
const severalBuilds = 1.5;

export interface Batches {
  /** The batches in line order, each of at least two pull requests. */
  readonly batches: readonly (readonly number[])[];
  /** Pull requests that wait for further members of their batches, at the latest until `until`. */
  readonly held: readonly number[];
  readonly until: number | null;
}

const none: Batches = { batches: [], held: [], until: null };

/**
 * With linear speculation, batches have the configured size. With adaptive speculation, they are formed only if they
 * save builds.
 */
export function formBatches(graph: SpeculationGraph, free: number): Batches {
  const { batchSize, speculation } = graph.view.snapshot.rules;
  if (batchSize < 2) return none;
  return speculation === 'linear' ? fillBatches(graph, batchSize) : { ...none, batches: batchesInNeed(graph, free) };
}

/** Forms batches of the configured size. A batch that can still grow waits for further members, for a limited time. */
function fillBatches(graph: SpeculationGraph, batchSize: number): Batches {
  const { now, snapshot } = graph.view;
  const componentOf = findComponents(graph);
  const last = new Map([...graph.line.keys()].map((index) => [componentOf(index), index]));
  const waiting = [...graph.line.keys()].filter((index) => isWaiting(graph, index));
  const batches = [...Map.groupBy(waiting, componentOf).values()].flatMap((indices) =>
    cut(graph, indices, () => batchSize),
  );
  const dueAt = (batch: readonly number[]): number =>
    Math.min(...batch.map((index) => graph.line[index]?.queuedAt ?? now)) + snapshot.rules.batchMaxWaitMinutes * 60_000;
  const isOpen = (batch: readonly number[]): boolean => {
    const end = batch.at(-1) ?? 0;
    return batch.length < batchSize && last.get(componentOf(end)) === end && dueAt(batch) > now;
  };
  const open = batches.filter(isOpen);
  return {
    batches: batches.filter((batch) => batch.length > 1 && !isOpen(batch)),
    held: open.flat(),
    until: open.length === 0 ? null : Math.min(...open.map(dueAt)),
  };
}

/**
 * Forms batches in components that have less than `severalBuilds` at once. A component with several builds needs no
 * batches: each pull request is built on top of those before it, which finds the first bad pull request equally fast,
 * and everything before a green build lands with it.
 */
function batchesInNeed(graph: SpeculationGraph, free: number): readonly (readonly number[])[] {
  const { batchSize } = graph.view.snapshot.rules;
  if (!Number.isFinite(free)) return [];
  const suspects = new Set(findSmallestReds(graph).flatMap(({ pending }) => pending));
  const waiting = [...graph.line.keys()].filter((index) => !suspects.has(index) && isWaiting(graph, index));
  const running = graph.builds.filter(({ verdict }) => verdict.kind === 'pending');
  const allowed = countAllowed(graph, free);
  const isBatching = running.some((build) => isCulpritSearched(graph, build));
  if (waiting.length <= free || waiting.length < allowed * (isBatching ? stopShare : startShare)) return [];
  const componentOf = findComponents(graph);
  const sizes = Map.groupBy(graph.line.keys(), componentOf);
  const batches = [...Map.groupBy(waiting, componentOf)].flatMap(([component, indices]) => {
    const share = (allowed * (sizes.get(component)?.length ?? 0)) / graph.line.length;
    const isShort = share < severalBuilds || allowed === 1;
    const isWorthIt = bestBatchSize(ratesOf(graph, failureOf(graph, indices)), batchSize) > 1;
    return isShort && isWorthIt
      ? cut(graph, indices, (failure) => bestBatchSize(ratesOf(graph, failure), batchSize))
      : [];
  });
  return batches.filter(({ length }) => length > 1);
}

/** The average probability that one of these pull requests fails. */
function failureOf({ line }: SpeculationGraph, indices: readonly number[]): number {
  return indices.reduce((sum, index) => sum + 1 - (line[index]?.successProbability ?? 0.5), 0) / indices.length;
}

/** Whether the pull request may be put into a batch, because it has no build that still decides about it. */
function isWaiting(graph: SpeculationGraph, index: number): boolean {
  const row = graph.line[index];
  if (row === undefined || graph.landing.has(index) || isInIsolatedRetry(graph, index)) return false;
  if (row.stack !== null || row.bisection !== null || isBuiltAlone(graph.view, row)) return false;
  return (graph.buildsOf.get(index) ?? []).every(
    (build) => isFailure(build.verdict) && isCulpritSearched(graph, build),
  );
}

/**
 * Splits the indices into batches of neighbours. `sizeAt`: the size of a batch for an average probability of failure.
 */
function cut(graph: SpeculationGraph, indices: readonly number[], sizeAt: (failure: number) => number): number[][] {
  const batches: number[][] = [];
  let batch: number[] = [];
  let failures = 0;
  for (const index of indices) {
    const failure = 1 - (graph.line[index]?.successProbability ?? 0.5);
    const size = sizeAt((failures + failure) / (batch.length + 1));
    if (batch.length === 0 || batch.length >= size || !isNext(graph, batch, index)) {
      batch = [];
      failures = 0;
      batches.push(batch);
    }
    batch.push(index);
    failures += failure;
  }
  return batches;
}

/** Estimates the rate of false failures from the share of second builds that passed. */
function ratesOf({ view }: SpeculationGraph, failure: number): Rates {
  const { passed, judged } = view.snapshot.secondTries ?? { passed: 0, judged: 0 };
  const share = passed / (judged + 5);
  return { failure, flake: Math.min(0.5, (share * failure) / (1 - share)) };
}

/**
 * Whether the pull request can join the batch: every pull request that it overlaps from the first member on is a
 * member.
 */
function isNext(graph: SpeculationGraph, batch: readonly number[], index: number): boolean {
  const [first = index] = batch;
  return graph.between(first, index).every((before) => batch.includes(before));
}

/** Returns, for each index, an identifier of its component in the conflict graph (union-find). */
function findComponents(graph: SpeculationGraph): (index: number) => number {
  const above = Int32Array.from(graph.line.keys());
  const find = (index: number): number => {
    let at = index;
    while (above[at] !== at) {
      above[at] = above[above[at] ?? at] ?? at;
      at = above[at] ?? at;
    }
    return at;
  };
  // A pull request that overlaps everything connects all pull requests before it. Those before `joined` are connected
  // already.
  let joined = 0;
  for (const index of graph.line.keys()) {
    const isJoining = overlapsAll(graph, index);
    const before = isJoining
      ? Array.from({ length: index - joined }, (_, at) => joined + at)
      : graph.linksBefore(index);
    for (const other of before) above[find(other)] = find(index);
    if (isJoining) joined = index;
  }
  return find;
}

// The best size of a batch. A batch is built once. If it is green, all members land. If it is red, a search by halves
// finds its first bad member, and the members behind the bad one are built again with other pull requests.

export interface Rates {
  /** The rate at which a pull request fails by itself. */
  readonly failure: number;
  /** The rate at which the build of good pull requests fails. */
  readonly flake: number;
}

/**
 * The size with the fewest builds for each pull request, at most `max`. From a failure rate of 29.3 % on it is 1,
 * which means no batch.
 */
export function bestBatchSize(rates: Rates, max: number): number {
  const costs = batchCosts(rates, max);
  return costs.reduce((best, cost, at) => (cost < (costs[best - 1] ?? 1) ? at + 1 : best), 1);
}

/**
 * The average number of builds for each pull request, for batches of 1, 2, 3 … members. A pull request that is found by
 * elimination is built alone before it counts as failed. Second builds of bad pull requests are not counted, because
 * their number does not depend on the size.
 */
export function batchCosts({ failure, flake }: Rates, max: number): readonly number[] {
  const bad = Math.min(0.999, Math.max(0.001, failure));
  const pass = 1 - bad;
  /** For each size of a batch: the expected number of builds of the search after a red build. */
  const search: number[] = [0, 0];
  return Array.from({ length: max }, (_, at) => {
    const size = at + 1;
    // A pull request that is red alone is built once more.
    if (size === 1) return 1 + pass * flake;
    const [half, rest] = [Math.ceil(size / 2), Math.floor(size / 2)];
    const eliminated = rest === 1 ? bad : (search[rest] ?? 0);
    search[size] = 1 - pass ** size + (search[half] ?? 0) + pass ** half * eliminated;
    const inVain = pass ** size * flake * (1 + Math.ceil(Math.log2(size)));
    return ((1 + search[size] + inVain) * bad) / (1 - pass ** size);
  });
}
