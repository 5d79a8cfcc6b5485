// Draws a day for a cell and a seed: the arrival, the author, the targets and the outcome of each change, and the
// outcomes of pairs and builds. None of these depends on the decisions of a policy.
import { truthOf, type Pair } from '../../src/domain/simulation/ground-truth.ts';
import type { Change, Past, PolicySetup } from '../../src/domain/simulation/policy.ts';
import { draw, drawWait, streams } from '../../src/domain/simulation/randomness.ts';
import type { Cell } from './cell.ts';
import { calibrateTargets, drawTargets } from './targets.ts';

const minute = 60_000;
const hour = 60 * minute;
const authors = 40;
/**
 * The probability that two overlapping changes in flight at the same time are a pair. If one of them is bad, the other
 * one fixes it. Otherwise they have a semantic conflict.
 */
const realConflict = 0.035;

export interface Day {
  readonly seed: number;
  readonly changes: number;
  /**
   * How many changes arrived on the day before. Policies that learn know the outcomes of these changes. Left out: none
   * arrived.
   */
  readonly past?: number;
}

/** Makes the random numbers of the day before different from those of every measured day. */
const dayBefore = 1_000_000;

export function drawDay(cell: Cell, { seed, changes, past = 0 }: Day): PolicySetup {
  const day = drawWorld(cell, { seed, changes });
  return past === 0 ? day : { ...day, past: pastOf(drawWorld(cell, { seed: seed + dayBefore, changes: past })) };
}

/** Judges all changes in order. A change whose first build is red is built once more. */
function pastOf({ changes, truth }: PolicySetup): Past {
  const landed = new Set<number>();
  const secondTries = { passed: 0, judged: 0 };
  const ends = changes.map(({ number, author }) => {
    const isGood = truth.isGreen(landed, [number]);
    const isRed = (attempt: number): boolean => !isGood || truth.isFlake({ tree: number, attempt });
    const hasLanded = !isRed(0) || !isRed(1);
    if (isRed(0)) secondTries.judged += 1;
    if (isRed(0) && hasLanded) secondTries.passed += 1;
    if (hasLanded) landed.add(number);
    return { author, hasLanded };
  });
  return { ends, secondTries };
}

function drawWorld(cell: Cell, { seed, changes: count }: Day): PolicySetup {
  const inFlightMs = cell.median * minute * Math.exp(cell.spread ** 2 / 2);
  const changes = drawChanges(cell, { seed, count, inFlight: (cell.rate * inFlightMs) / hour });
  const bad = new Set(changes.flatMap(({ number, author }) => (isBad(cell, seed, { number, author }) ? [number] : [])));
  const truth = truthOf({
    seed,
    bad,
    pairs: drawPairs(changes, { seed, bad, inFlightMs }),
    flake: cell.flake,
    ci: { medianMs: cell.median * minute, spread: cell.spread, drawnPer: cell.draw },
  });
  const isBlind = cell.overlap >= 1;
  return {
    workers: cell.workers,
    truth,
    changes: isBlind ? changes.map((change) => ({ ...change, targets: null })) : changes,
  };
}

interface ChangeWithTargets extends Change {
  readonly targets: readonly string[];
}

function drawChanges(
  cell: Cell,
  of: { readonly seed: number; readonly count: number; readonly inFlight: number },
): ChangeWithTargets[] {
  // An overlap of 1 means that targets are not known. Half of the changes then really overlap a change in flight.
  const overlap = cell.overlap >= 1 ? 0.5 : cell.overlap;
  const popularity = calibrateTargets({ overlap, inFlight: of.inFlight, exponent: cell.zipf });
  let due = 0;
  return Array.from({ length: of.count }, (_, number) => {
    due += drawWait(of.seed, streams.arrival, number);
    return {
      number,
      arrivedAt: Math.round(instantOf(due, cell)),
      author: Math.floor(draw(of.seed, streams.author, number) * authors),
      targets: drawTargets(popularity, of.seed, number),
    };
  });
}

/** When a change arrives. `due`: how many changes are expected until then. */
function instantOf(due: number, { rate, burst }: Cell): number {
  const hours = Math.floor(due / rate);
  const within = due / rate - hours;
  const inBurst = burst / 4;
  const share = within < inBurst ? within / burst : 1 / 4 + ((within - inBurst) * 3) / (4 - burst);
  return (hours + share) * hour;
}

/**
 * The share of an author's changes that are bad, from nearly none to three times the average. An author has the same
 * share every day.
 */
export function failureOf({ failure }: Cell, author: number): number {
  const carelessness = (author + 0.5) / authors;
  return Math.min(0.95, failure * 3 * carelessness ** 2);
}

function isBad(cell: Cell, seed: number, { number, author }: Pick<Change, 'number' | 'author'>): boolean {
  return draw(seed, streams.outcome, number) < failureOf(cell, author);
}

function drawPairs(
  changes: readonly ChangeWithTargets[],
  { seed, bad, inFlightMs }: { readonly seed: number; readonly bad: ReadonlySet<number>; readonly inFlightMs: number },
): Pair[] {
  const pairs: Pair[] = [];
  const recent = new Map<string, ChangeWithTargets[]>();
  for (const change of changes) {
    const met = new Set<number>();
    for (const target of change.targets) {
      const others = (recent.get(target) ?? []).filter((other) => other.arrivedAt > change.arrivedAt - inFlightMs);
      for (const other of others) met.add(other.number);
      recent.set(target, [...others, change]);
    }
    for (const other of met) {
      if (draw(seed, streams.pair, other, change.number) >= realConflict) continue;
      if (bad.has(change.number)) pairs.push({ a: change.number, b: other, kind: 'fixed_by' });
      else if (bad.has(other)) pairs.push({ a: other, b: change.number, kind: 'fixed_by' });
      else pairs.push({ a: change.number, b: other, kind: 'semantic_conflict' });
    }
  }
  return pairs;
}
