// Parts of a history that is too long to be replayed as a whole.
import type { Change } from './policy.ts';
import type { Workload } from './workload.ts';

export type Replayable = Pick<Workload, 'changes' | 'skipsLine' | 'truth' | 'usualBuildMs'>;

export interface Stretch {
  readonly workload: Replayable;
  /** The line begins empty: waits are counted of those that arrive from then on. */
  readonly countedFrom: number;
  /** And until then: who arrives later has fewer behind it than there were. */
  readonly countedUntil: number;
}

/** Of each stretch a quarter at its beginning and another one at its end are played for the sake of what is between. */
const shortestMs = 3_600_000;
const quarters = 4;

/**
 * Stretches of one length, none of them twice, spread evenly over the history however many of them are taken, and each
 * long enough for four builds one after the other.
 */
export function* stretchesOf(workload: Replayable): Generator<Stretch> {
  const { changes, usualBuildMs } = workload;
  const [first, last] = [changes[0]?.arrivedAt ?? 0, changes.at(-1)?.arrivedAt ?? 0];
  const lengthMs = Math.max(shortestMs, usualBuildMs * quarters);
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

/** All numbers below `count` once; the first so many of them lie about evenly. */
function* spread(count: number): Generator<number> {
  const bits = Math.ceil(Math.log2(count));
  for (let number = 0; number < 2 ** bits; number += 1) {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit += 1) if ((number >> bit) & 1) reversed |= 1 << (bits - 1 - bit);
    if (reversed < count) yield reversed;
  }
}

/** The same world with some of its changes alone, which are numbered anew. */
function part(whole: Replayable, among: readonly Change[]): Replayable {
  const { truth, skipsLine } = whole;
  const old = among.map(({ number }) => number);
  // What is drawn is drawn by the tree, whose name begins with the first number again.
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
