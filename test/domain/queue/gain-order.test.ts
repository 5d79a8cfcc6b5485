// Which of two possible builds starts first in a crowded line, and when this order holds.
import { describe, expect, it, test } from 'vitest';
import type { Candidate } from '../../../src/domain/queue/speculation/assumptions.ts';
import { startsByGain } from '../../../src/domain/queue/speculation/crowded-line.ts';
import { GainOrder } from '../../../src/domain/queue/speculation/gain-order.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { now, planned, pr, situation, type BatchSpec, type Situation } from './situation.ts';

/** A build of the pull request at a place in line. It assumes those at the places in `on`. */
interface Possible {
  readonly place: number;
  readonly on: readonly number[];
  readonly needed: number;
}

interface Row {
  readonly name: string;
  readonly possible: readonly Possible[];
  /** The probability that the pull request at each place lands. Default: 1. */
  readonly lands?: readonly number[];
  readonly running?: readonly BatchSpec[];
  /** Trees as places in line, in the order in which they start. */
  readonly order: readonly string[];
}

function chain(...needed: readonly number[]): readonly Possible[] {
  return needed.map((each, place) => ({ place, on: Array.from({ length: place }, (_, at) => at), needed: each }));
}

function built(place: number, on: readonly number[], build: BatchSpec['build'] = 'pending'): BatchSpec {
  const assumes = on.map((at) => ({ pullRequest: `p${at + 1}`, head: `h${at + 1}` }));
  return { of: [place + 1], build, change: { sideBuild: 'speculative', assumes } };
}

const rows: readonly Row[] = [
  { name: 'the deepest, if it is almost certain', possible: chain(1, 0.99, 0.98), order: ['012', '0', '01'] },
  {
    name: 'a smaller one, if the deepest is improbable',
    possible: chain(1, 0.9, 0.3),
    // 01 lands two with 0.9, and 012 lands three with 0.3.
    order: ['01', '012', '0'],
  },
  {
    name: 'the one with a gap before it, beside a running build',
    possible: chain(1, 0.95, 0.8, 0.7, 0.6).slice(1),
    running: [built(0, [])],
    order: ['01234', '012', '01', '0123'],
  },
  {
    name: 'one that no larger running build covers',
    possible: [
      { place: 1, on: [0], needed: 0.8 },
      { place: 2, on: [1], needed: 0.3 },
    ],
    running: [built(3, [0, 1, 2])],
    order: ['12', '01'],
  },
  {
    name: 'the one that shows whether a doubtful pull request is bad',
    possible: chain(1, 0.9, 0.2),
    lands: [0.9, 0.2, 0.9],
    order: ['01', '0', '012'],
  },
  {
    name: 'of equal gains, the first in line',
    possible: [
      { place: 1, on: [], needed: 0.5 },
      { place: 0, on: [], needed: 0.5 },
    ],
    order: ['0', '1'],
  },
];

test.each(rows)('first starts $name', ({ possible, lands = [], running = [], order }) => {
  const waiting = [1, 2, 3, 4, 5].map((number) => pr(number));
  const graph = viewGraph(viewLine(situation({ waiting, line: running, rules: { speculation: 'adaptive' } }), now));
  const probabilities = Float64Array.from(waiting, (_, place) => lands[place] ?? 1);
  const gains = new GainOrder(
    graph,
    probabilities,
    possible.map(({ place, on, needed }) => ({
      candidate: {
        members: [place],
        certain: [],
        undecided: [],
        next: { probability: needed, flipped: [] },
      } satisfies Candidate,
      assumed: on,
    })),
  );
  const started: string[] = [];
  for (let best = gains.next(); best !== null; best = gains.next()) {
    started.push([...best.assumed, ...best.candidate.members].toSorted((a, b) => a - b).join(''));
    gains.noteStart(best);
  }
  expect(started).toEqual(order);
});

describe('the order by gains', () => {
  const seven = Array.from({ length: 7 }, (_, at) => pr(at + 1));
  const holds = (from: Situation, allowed = 2): boolean =>
    startsByGain(
      viewGraph(
        viewLine(situation({ waiting: seven, ...from, rules: { speculation: 'adaptive', ...from.rules } }), now),
      ),
      allowed,
    );

  it('holds if more than three pull requests are in line for each build that may run', () => {
    expect(holds({})).toBe(true);
    expect(holds({}, 3)).toBe(false);
    expect(holds({}, Infinity)).toBe(false);
  });

  it('does not hold with batches and one build at a time', () => {
    expect(holds({ rules: { batchSize: 8 } }, 1)).toBe(false);
    expect(holds({ rules: { batchSize: 8 } })).toBe(true);
    expect(holds({}, 1)).toBe(true);
  });

  it.each<[string, Situation]>([
    ['speculation is linear', { rules: { speculation: 'linear', useAffectedTargets: true } }],
    [
      'targets are known',
      { waiting: seven.map((row) => ({ ...row, targets: ['a'] })), rules: { useAffectedTargets: true } },
    ],
    ['a pull request skipped the line', { waiting: [pr(8, { skipLine: true }), ...seven] }],
    ['a pull request is a barrier', { waiting: [pr(8, { isBarrier: true }), ...seven] }],
  ])('does not hold if %s', (_, from) => {
    expect(holds(from)).toBe(false);
  });

  it('leaves most pull requests of a crowded line without a build of their own', () => {
    const waiting = seven.map((row) => ({ ...row, successProbability: 0.99 }));
    const rules = { speculation: 'adaptive', maxParallelBuilds: 2 } as const;
    expect(planned({ waiting, rules })).toEqual([
      'speculate new p7 on p1 p2 p3 p4 p5 p6',
      expect.stringMatching(/^speculate new p[3-5] on p1 p2/),
    ]);
  });
});
