// Segments of a history that is too long for a complete replay.
import type { Change } from './policy.ts';
import type { Workload } from './workload.ts';

export type ReplayWorkload = Pick<Workload, 'changes' | 'skipsLine' | 'truth' | 'typicalBuildMs'>;

export interface Segment {
  readonly workload: ReplayWorkload;
  /**
   * Only waits of pull requests that arrive from this instant on are counted, because the line of a segment begins
   * empty.
   */
  readonly countedFrom: number;
  /**
   * Only waits of pull requests that arrive before this instant are counted. Later ones have fewer pull requests behind
   * them than in reality.
   */
  readonly countedUntil: number;
}

/** The first and the last quarter of each segment are replayed but not counted. */
const shortestMs = 3_600_000;
const quarters = 4;

/**
 * Yields segments of equal length, each once. After any number of them, the yielded segments are spread evenly over the
 * history. Each segment is long enough for four builds one after the other.
 */
export function* segmentsOf(workload: ReplayWorkload): Generator<Segment> {
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

/**
 * Yields every number below `count` once, in bit-reversed order, so that the numbers yielded so far are always spread
 * evenly.
 */
function* spread(count: number): Generator<number> {
  const bits = Math.ceil(Math.log2(count));
  for (let number = 0; number < 2 ** bits; number += 1) {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit += 1) if ((number >> bit) & 1) reversed |= 1 << (bits - 1 - bit);
    if (reversed < count) yield reversed;
  }
}

/** Returns the same world with only the changes `among`, numbered from 0. */
function part(whole: ReplayWorkload, among: readonly Change[]): ReplayWorkload {
  const { truth, skipsLine } = whole;
  const old = among.map(({ number }) => number);
  // Shifts the names of trees, so that different segments draw different random numbers.
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
