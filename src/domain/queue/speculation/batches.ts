// Which neighbours of one conflict component, whom nobody has asked of, are asked together.
import { isAside } from './isolated-retry.ts';
import { bestBatchSize, type Rates } from './batch-size.ts';
import { isFailure } from '../planning/failure.ts';
import type { Field } from './graph.ts';
import { isSuspended } from '../planning/line.ts';
import { overlapsAll } from './movable.ts';
import { isSearched, smallestReds } from './culprit-search.ts';

/** Builds are short: so many nobody has asked of, as a share of the builds allowed at once, that batches begin; and so few that they end. */
const begins = 1;
const ends = 0.25;

/** A component whose share is less has one build at a time. */
const severalBuilds = 1.5;

export interface Batches {
  /** In line order, each of at least two. */
  readonly batches: readonly (readonly number[])[];
  /** They wait for company, at the latest until then. */
  readonly held: readonly number[];
  readonly until: number | null;
}

const none: Batches = { batches: [], held: [], until: null };

/** With linear speculation batches of the size asked for; with adaptive speculation where they are worth it. */
export function formBatches(field: Field, free: number): Batches {
  const { batchSize, speculation } = field.view.snapshot.rules;
  if (batchSize < 2) return none;
  return speculation === 'linear' ? fillBatches(field, batchSize) : { ...none, batches: batchesInNeed(field, free) };
}

/** What somebody else may still join waits for that, for a while. */
function fillBatches(field: Field, batchSize: number): Batches {
  const { now, snapshot } = field.view;
  const componentOf = findComponents(field);
  const last = new Map([...field.line.keys()].map((place) => [componentOf(place), place]));
  const waiting = [...field.line.keys()].filter((place) => isWaiting(field, place));
  const batches = [...Map.groupBy(waiting, componentOf).values()].flatMap((places) =>
    cut(field, places, () => batchSize),
  );
  const dueAt = (batch: readonly number[]): number =>
    Math.min(...batch.map((place) => field.line[place]?.queuedAt ?? now)) + snapshot.rules.batchMaxWaitMinutes * 60_000;
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
 * A component that has several builds to itself finds its first bad one as soon by asking one by one: each is built on
 * those before it, and all before a green one land with it. So batches are for those that share a build with others.
 */
function batchesInNeed(field: Field, free: number): readonly (readonly number[])[] {
  const { batchSize } = field.view.snapshot.rules;
  if (!Number.isFinite(free)) return [];
  const suspects = new Set(smallestReds(field).flatMap(({ pending }) => pending));
  const waiting = [...field.line.keys()].filter((place) => !suspects.has(place) && isWaiting(field, place));
  const running = field.bets.filter(({ verdict }) => verdict.kind === 'pending');
  const builds = free + running.length;
  const isBatching = running.some((bet) => isSearched(field, bet));
  if (waiting.length <= free || waiting.length < builds * (isBatching ? ends : begins)) return [];
  const componentOf = findComponents(field);
  const sizes = Map.groupBy(field.line.keys(), componentOf);
  const batches = [...Map.groupBy(waiting, componentOf)].flatMap(([component, places]) => {
    const share = (builds * (sizes.get(component)?.length ?? 0)) / field.line.length;
    const isShort = share < severalBuilds || builds === 1;
    const isWorthIt = bestBatchSize(ratesOf(field, failureOf(field, places)), batchSize) > 1;
    return isShort && isWorthIt
      ? cut(field, places, (failure) => bestBatchSize(ratesOf(field, failure), batchSize))
      : [];
  });
  return batches.filter(({ length }) => length > 1);
}

/** On average. */
function failureOf({ line }: Field, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + 1 - (line[place]?.chance ?? 0.5), 0) / places.length;
}

/** Nobody asks of it. */
function isWaiting(field: Field, place: number): boolean {
  const row = field.line[place];
  if (row === undefined || field.landing.has(place) || isSuspended(field.view, row) || isAside(field, place))
    return false;
  if (row.stack !== null || row.bisection !== null || row.skipLine || row.skipValidation || row.isBarrier) return false;
  return (field.betsOf.get(place) ?? []).every((bet) => isFailure(bet.verdict) && isSearched(field, bet));
}

/** Neighbours. `sizeAt`: how many together, at their rate of failures. */
function cut(field: Field, places: readonly number[], sizeAt: (failure: number) => number): number[][] {
  const batches: number[][] = [];
  let batch: number[] = [];
  let failures = 0;
  for (const place of places) {
    const failure = 1 - (field.line[place]?.chance ?? 0.5);
    const size = sizeAt((failures + failure) / (batch.length + 1));
    if (batch.length === 0 || batch.length >= size || !isNext(field, batch, place)) {
      batch = [];
      failures = 0;
      batches.push(batch);
    }
    batch.push(place);
    failures += failure;
  }
  return batches;
}

/** Of the builds that were red for what is sound, as many as of those that were made once more passed then. */
function ratesOf({ view }: Field, failure: number): Rates {
  const { passed, judged } = view.snapshot.secondTries ?? { passed: 0, judged: 0 };
  const share = passed / (judged + 5);
  return { failure, flake: Math.min(0.5, (share * failure) / (1 - share)) };
}

/** It overlaps nothing that stands between the first of these and itself, and is not one of them. */
function isNext(field: Field, batch: readonly number[], place: number): boolean {
  const [first = place] = batch;
  return field.between(first, place).every((before) => batch.includes(before));
}

/** By place: a name of all that overlap one another, directly or by way of others. */
function findComponents(field: Field): (place: number) => number {
  const above = Int32Array.from(field.line.keys());
  const find = (place: number): number => {
    let at = place;
    while (above[at] !== at) {
      above[at] = above[above[at] ?? at] ?? at;
      at = above[at] ?? at;
    }
    return at;
  };
  // What overlaps all joins all that is before it: that is done once.
  let joined = 0;
  for (const place of field.line.keys()) {
    const isJoining = overlapsAll(field, place);
    const before = isJoining
      ? Array.from({ length: place - joined }, (_, at) => joined + at)
      : field.linksBefore(place);
    for (const other of before) above[find(other)] = find(place);
    if (isJoining) joined = place;
  }
  return find;
}
