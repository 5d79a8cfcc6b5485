// Parts of a history that is too long for a complete replay.
import type { Change } from './policy.ts';
import type { Workload } from './workload.ts';

export type Replayable = Pick<Workload, 'changes' | 'skipsLine' | 'truth' | 'typicalBuildMs'>;

export interface Segment {
  readonly workload: Replayable;
  /** The line begins empty: only waits of pull requests that arrive from then on are counted. */
  readonly countedFrom: number;
  /** Only arrivals until then are counted: later ones have fewer pull requests behind them than in reality. */
  readonly countedUntil: number;
}

/** The first and the last quarter of each segment are played but not counted. */
const shortestMs = 3_600_000;
const quarters = 4;

/**
 * Segments of one length, each at most once. Any number of them is evenly spread over the history, and each is long
 * enough for four builds one after the other.
 */
export function* segmentsOf(workload: Replayable): Generator<Segment> {
  const { changes, typicalBuildMs } = workload;
  const [first, last] = [changes[0]?.arrivedAt ?? 0, changes.at(-1)?.arrivedAt ?? 0];
  const lengthMs = Math.max(shortestMs, typicalBuildMs * quarters);
  const count = Math.max(1, Math.floor((last - first) / lengthMs));
  for (const place of spread(count)) {
    const from = first + ((last - first) * place) / count;
    const until = from + Math.min(lengthMs, last - first + 1);
    const among = changes.filter(({ arrivedAt }) => arrivedAt >= from && arrivedAt < until);
    if (among.length === 0) continue;
    const quarter = (until - from) / quarters;
    yield { workload: part(workload, among), countedFrom: from + quarter, countedUntil: until - quarter };
  }
}

/** All numbers below `count` once. Every first part of the sequence is about evenly spread. */
function* spread(count: number): Generator<number> {
  const bits = Math.ceil(Math.log2(count));
  for (let number = 0; number < 2 ** bits; number += 1) {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit += 1) if ((number >> bit) & 1) reversed |= 1 << (bits - 1 - bit);
    if (reversed < count) yield reversed;
  }
}

/** The same world with only some of its changes, renumbered. */
function part(whole: Replayable, among: readonly Change[]): Replayable {
  const { truth, skipsLine } = whole;
  const old = among.map(({ number }) => number);
  // Random draws depend on the tree, whose name begins with the first original number.
  const shift = old[0] ?? 0;
  const oldOf = (numbers: readonly number[]): number[] => numbers.map((number) => old[number] ?? number);
  return {
    ...whole,
    changes: among.map((change, number) => ({ ...change, number })),
    skipsLine: new Set(old.flatMap((was, number) => (skipsLine.has(was) ? [number] : []))),
    truth: {
      isGreen: (landed, added) => truth.isGreen(new Set(oldOf([...landed])), oldOf(added)),
      durationOf: (build) => truth.durationOf({ ...build, members: oldOf(build.members), tree: build.tree + shift }),
      isFlake: (build) => truth.isFlake({ ...build, tree: build.tree + shift }),
    },
  };
}
