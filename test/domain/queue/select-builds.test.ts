// Which speculative builds start, which running ones they replace, and which pull requests become a batch. The
// probabilities that pull requests land are given, and not estimated.
import { describe, expect, test } from 'vitest';
import { formBatches } from '../../../src/domain/queue/speculation/batches.ts';
import type { SpeculationGraph } from '../../../src/domain/queue/speculation/graph.ts';
import { selectBuilds } from '../../../src/domain/queue/speculation/select-builds.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import type { PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, pr, situation, type BatchSpec, type Situation } from './situation.ts';

const adaptive = { speculation: 'adaptive', useAffectedTargets: true } as const;
const on = (number: number, change: Partial<PullRequestState> = {}) => pr(number, { targets: ['a'], ...change });
const line = (count: number) => Array.from({ length: count }, (_, at) => on(at + 1));
const [two, three, four] = [line(2), line(3), line(4)] as const;

/** A speculative build of these pull requests, which assumes those in `on`. */
function built(build: BatchSpec['build'], of: readonly number[], assumed: readonly number[] = []): BatchSpec {
  const assumes = assumed.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` }));
  return { of, build, change: { sideBuild: 'speculative', assumes } };
}

function graphOf(from: Situation): SpeculationGraph {
  return viewGraph(viewLine(situation({ waiting: two, ...from, rules: { ...adaptive, ...from.rules } }), now));
}

interface Row extends Situation {
  readonly name: string;
  /** By index in line. Default: 0.9 for each. */
  readonly lands?: readonly number[];
  /** Default: 9. */
  readonly free?: number;
  readonly starts: readonly string[];
  readonly dropped?: readonly string[];
}

const wrongly = built('pending', [2]);
const rows: readonly Row[] = [
  { name: 'each is built on those before it', starts: ['new p1 on tip', 'new p2 on p1'] },
  { name: 'no more start than are free', waiting: four, free: 2, starts: ['new p1 on tip', 'new p2 on p1'] },
  { name: 'none starts if none is free', free: 0, starts: [] },
  {
    name: 'both outcomes are built if both are likely',
    lands: [0.7, 0.9],
    starts: ['new p1 on tip', 'new p2 on p1', 'new p2 on tip'],
  },
  {
    name: 'the most probable build comes first',
    waiting: three,
    lands: [0.3, 0.9, 0.9],
    free: 3,
    starts: ['new p1 on tip', 'new p2 on tip', 'new p3 on p2'],
  },
  {
    name: 'builds that are needed in less than a tenth of the cases do not start',
    waiting: three,
    lands: [0.8, 0.7, 0.9],
    starts: ['new p1 on tip', 'new p2 on p1', 'new p3 on p1 p2', 'new p3 on p1', 'new p2 on tip', 'new p3 on p2'],
  },
  {
    name: 'with linear speculation each is assumed to land',
    rules: { speculation: 'linear' },
    lands: [0.2, 0.2],
    starts: ['new p1 on tip', 'new p2 on p1'],
  },
  {
    name: 'the same build does not start twice',
    line: [built('pending', [1]), built('pending', [2], [1])],
    starts: [],
  },
  { name: 'a build with other assumptions starts', line: [wrongly], starts: ['new p1 on tip', 'new p2 on p1'] },
  // Replaced builds.
  {
    name: 'a build that is hardly needed is replaced',
    line: [wrongly],
    lands: [0.99, 0.9],
    free: 0,
    starts: ['new p1 on tip'],
    dropped: ['b1'],
  },
  { name: 'a build that is needed in a tenth of the cases is not replaced', line: [wrongly], free: 0, starts: [] },
  {
    name: 'the build that is needed least is replaced first',
    waiting: three,
    line: [wrongly, built('pending', [3])],
    lands: [0.97, 0.9, 0.9],
    free: 0,
    starts: ['new p1 on tip', 'new p2 on p1'],
    dropped: ['b2', 'b1'],
  },
  {
    name: 'a free build comes before a replaced one',
    line: [wrongly],
    lands: [0.99, 0.9],
    free: 1,
    starts: ['new p1 on tip', 'new p2 on p1'],
    dropped: ['b1'],
  },
  {
    name: 'a build replaces one that is needed a twentieth as often',
    waiting: three,
    line: [wrongly, built('pending', [1]), built('pending', [2], [1])],
    lands: [0.96, 0.9, 0.9],
    free: 0,
    starts: ['new p3 on p1 p2'],
    dropped: ['b1'],
  },
  {
    name: 'a build does not replace one that is needed more often than that',
    waiting: three,
    line: [wrongly, built('pending', [1]), built('pending', [2], [1])],
    lands: [0.96, 0.8, 0.9],
    free: 0,
    starts: [],
  },
  { name: 'no build is replaced if more run than may', line: [wrongly], lands: [0.99, 0.9], free: -1, starts: [] },
  {
    name: 'no build is replaced with linear speculation',
    rules: { speculation: 'linear' },
    line: [wrongly],
    lands: [0.99, 0.9],
    free: 0,
    starts: [],
  },
  {
    name: 'no build is replaced if any number may run',
    line: [wrongly],
    lands: [0.99, 0.9],
    free: Infinity,
    starts: ['new p1 on tip', 'new p2 on p1'],
  },
  {
    name: 'an isolated retry is not replaced',
    waiting: [on(1), on(2, { reorderedForFailure: true })],
    line: [wrongly],
    lands: [0.99, 0.9],
    free: 0,
    starts: [],
  },
  { name: 'a red build is not replaced', line: [built('failure', [2])], lands: [0.99, 0.9], free: 0, starts: [] },
  // Builds that are made again.
  { name: 'a red build is made again', waiting: [on(1)], line: [built('failure', [1])], starts: ['retry p1 on tip'] },
  {
    name: 'two red builds are enough',
    waiting: [on(1)],
    line: [built('failure', [1]), built('failure', [1])],
    starts: [],
  },
  {
    name: 'a build that timed out is not made again',
    waiting: [on(1)],
    line: [{ ...built('pending', [1]), buildChange: { startedAt: now - 10 * minute } }],
    rules: { ciTimeoutMins: 5 },
    starts: [],
  },
  {
    name: 'a red build is not made again while another one runs',
    waiting: [on(1)],
    line: [built('failure', [1]), built('pending', [1])],
    starts: [],
  },
  {
    name: 'a red build is not made again if second builds hardly ever pass',
    waiting: [on(1)],
    line: [built('failure', [1])],
    change: { secondTries: { passed: 0, judged: 200 } },
    starts: [],
  },
  {
    name: 'a red build is made again if its assumption is likely',
    line: [built('pending', [1]), built('failure', [2], [1])],
    lands: [0.6, 0.9],
    starts: ['retry p2 on p1', 'new p2 on tip'],
  },
  {
    name: 'a red build is not made again if its assumption is unlikely',
    line: [built('pending', [1]), built('failure', [2], [1])],
    lands: [0.4, 0.9],
    starts: ['new p2 on tip'],
  },
  // Why a build starts.
  {
    name: 'a pull request that was queued again gets a retry',
    waiting: [on(1, { requeueAttempts: 1 })],
    starts: ['retry p1 on tip'],
  },
  {
    name: 'the first half of a red batch is built',
    waiting: four,
    line: [built('failure', [1, 2, 3, 4])],
    starts: ['bisect p1 p2 on tip'],
  },
  {
    name: 'a part of a failed batch is bisected',
    waiting: [on(1, { bisection: { group: 'g', max: 1, attempts: 1, phase: 'in_place' } })],
    starts: ['bisect p1 on tip'],
  },
  {
    name: 'the members of a red batch of two are built alone',
    waiting: three,
    line: [built('failure', [1, 2])],
    lands: [0.3, 0.5, 0.9],
    free: 2,
    starts: ['bisect p1 on tip', 'bisect p2 on tip'],
  },
];

describe('builds', () => {
  test.each(rows)('$name', ({ lands, free = 9, starts, dropped = [], name: _name, ...from }) => {
    const graph = graphOf(from);
    const probabilities = Float64Array.from(graph.line, (_, at) => lands?.[at] ?? 0.9);
    const selected = selectBuilds(graph, probabilities, free);
    const names = (pinned: readonly { readonly pullRequest: string }[]): string =>
      pinned.map(({ pullRequest }) => pullRequest).join(' ');
    const described = selected.starts.map(
      ({ cause, members, assumes }) => `${cause} ${names(members)} on ${names(assumes) || 'tip'}`,
    );
    expect(described).toEqual(starts);
    expect(selected.dropped.map(({ batch }) => batch.id)).toEqual(dropped);
    expect(selected.starts.map(({ position }) => position)).toEqual(starts.map((_, at) => 100 + at));
  });
});

interface Formed extends Situation {
  readonly name: string;
  readonly free?: number;
  readonly batches: readonly (readonly number[])[];
  readonly held?: readonly number[];
  readonly untilMin?: number;
}

const linear = { speculation: 'linear', batchSize: 2, batchMaxWaitMinutes: 5 } as const;
const atOnce = { ...linear, batchMaxWaitMinutes: 0 } as const;
const b = { targets: ['b'] };
const good = { successProbability: 0.98 };
const busy = { batchSize: 4 } as const;

const formed: readonly Formed[] = [
  { name: 'a size of one forms none', rules: { ...linear, batchSize: 1 }, batches: [] },
  {
    name: 'full ones do not wait',
    waiting: four,
    rules: linear,
    batches: [
      [0, 1],
      [2, 3],
    ],
  },
  { name: 'one that can grow waits', waiting: three, rules: linear, batches: [[0, 1]], held: [2], untilMin: 4 },
  { name: 'one that has waited long enough is formed', rules: { ...atOnce, batchSize: 3 }, batches: [[0, 1]] },
  { name: 'a single pull request is none', waiting: three, rules: atOnce, batches: [[0, 1]] },
  {
    name: 'the wait counts from the first that was queued',
    waiting: [on(1, { queuedAt: now - 3 * minute }), on(2)],
    rules: { ...linear, batchSize: 3 },
    batches: [],
    held: [0, 1],
    untilMin: 2,
  },
  {
    name: 'the wait ends with the first of several',
    waiting: [on(1, { queuedAt: now - 3 * minute }), on(2, b)],
    rules: linear,
    batches: [],
    held: [0, 1],
    untilMin: 2,
  },
  {
    name: 'disjoint pull requests are not mixed',
    waiting: [on(1), on(2, b), on(3), on(4, b)],
    rules: linear,
    batches: [
      [0, 2],
      [1, 3],
    ],
  },
  {
    name: 'one behind which others are built does not wait',
    waiting: [on(1), on(2), on(3, { skipLine: true, rank: 0 })],
    rules: { ...linear, batchSize: 3 },
    batches: [],
    held: [1, 2],
    untilMin: 4,
  },
  {
    name: 'a stack, a part, a barrier and a landing are in none',
    waiting: [on(1), on(2, { stack: 'p2' }), on(3, { isBarrier: true }), on(4)],
    rules: atOnce,
    batches: [],
  },
  {
    name: 'a pull request with a build is in none',
    waiting: three,
    line: [built('pending', [1])],
    rules: atOnce,
    batches: [[1, 2]],
  },
  { name: 'any number of builds needs none', waiting: four, rules: busy, free: Infinity, batches: [] },
  {
    name: 'one build for four that mostly pass',
    waiting: four.map((each) => ({ ...each, ...good })),
    rules: busy,
    free: 1,
    batches: [[0, 1, 2, 3]],
  },
  {
    name: 'one build for four that mostly fail',
    waiting: four.map((each) => ({ ...each, successProbability: 0.3 })),
    rules: busy,
    free: 1,
    batches: [],
  },
  {
    name: 'as many builds as pull requests',
    waiting: four.map((each) => ({ ...each, ...good })),
    rules: busy,
    free: 4,
    batches: [],
  },
  {
    name: 'two builds for a component of four',
    waiting: four.map((each) => ({ ...each, ...good })),
    rules: busy,
    free: 2,
    batches: [],
  },
  {
    name: 'two builds for two components of two',
    waiting: [on(1, good), on(2, good), on(3, { ...b, ...good }), on(4, { ...b, ...good })],
    rules: busy,
    free: 2,
    batches: [
      [0, 1],
      [2, 3],
    ],
  },
  {
    name: 'a running build counts as one that may run',
    waiting: four.map((each) => ({ ...each, ...good })),
    line: [built('pending', [1])],
    rules: busy,
    free: 1,
    batches: [],
  },
  {
    name: 'no build is free, and one runs',
    waiting: four.map((each) => ({ ...each, ...good })),
    line: [built('pending', [1])],
    rules: busy,
    free: 0,
    batches: [[1, 2, 3]],
  },
  {
    name: 'a member of a red batch is a suspect',
    waiting: four.map((each) => ({ ...each, ...good })),
    line: [built('failure', [1, 2])],
    rules: busy,
    free: 1,
    batches: [[2, 3]],
  },
];

describe('batches', () => {
  test.each(formed)('$name', ({ free = 9, batches, held = [], untilMin, name: _name, ...from }) => {
    const until = untilMin === undefined ? null : now + untilMin * minute;
    expect(formBatches(graphOf(from), free)).toEqual({ batches, held, until });
  });
});
