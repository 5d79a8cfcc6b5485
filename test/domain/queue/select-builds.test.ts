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

/** A speculative build of the pull requests in `of`, which assumes those in `assumed`. */
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
  { name: 'each pull request is built on those before it', starts: ['new p1 on tip', 'new p2 on p1'] },
  {
    name: 'no more builds start than the limit allows',
    waiting: four,
    free: 2,
    starts: ['new p1 on tip', 'new p2 on p1'],
  },
  { name: 'no build starts if the limit allows none', free: 0, starts: [] },
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
    name: 'with linear speculation each pull request is assumed to land',
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
    name: 'a build is replaced only if no other build may start',
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
    name: 'a build does not replace one that is needed more than a twentieth as often',
    waiting: three,
    line: [wrongly, built('pending', [1]), built('pending', [2], [1])],
    lands: [0.96, 0.8, 0.9],
    free: 0,
    starts: [],
  },
  {
    name: 'in a crowded line, the build that gains most among those that are needed often enough replaces another',
    waiting: [1, 2, 3, 4, 5, 6, 7].map((number) => pr(number)),
    line: [built('pending', [3], [2])],
    lands: [0.96, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9],
    free: 0,
    starts: ['new p4 on p1 p2 p3'],
    dropped: ['b1'],
  },
  {
    name: 'no build is replaced if more builds run than may run',
    line: [wrongly],
    lands: [0.99, 0.9],
    free: -1,
    starts: [],
  },
  {
    name: 'no build is replaced with linear speculation',
    rules: { speculation: 'linear' },
    line: [wrongly],
    lands: [0.99, 0.9],
    free: 0,
    starts: [],
  },
  {
    name: 'no build is replaced if any number of builds may run',
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
    name: 'a pull request with two red builds is not built again',
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
    name: 'the build of a part of a failed batch is a bisection',
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
  { name: 'no batch is formed with a batch size of one', rules: { ...linear, batchSize: 1 }, batches: [] },
  {
    name: 'full batches do not wait',
    waiting: four,
    rules: linear,
    batches: [
      [0, 1],
      [2, 3],
    ],
  },
  { name: 'a batch that can grow waits', waiting: three, rules: linear, batches: [[0, 1]], held: [2], untilMin: 4 },
  { name: 'a batch that has waited long enough is formed', rules: { ...atOnce, batchSize: 3 }, batches: [[0, 1]] },
  { name: 'a single pull request is no batch', waiting: three, rules: atOnce, batches: [[0, 1]] },
  {
    name: 'a batch waits from the time when its first member was queued',
    waiting: [on(1, { queuedAt: now - 3 * minute }), on(2)],
    rules: { ...linear, batchSize: 3 },
    batches: [],
    held: [0, 1],
    untilMin: 2,
  },
  {
    name: 'of several batches that wait, the first end of a wait counts',
    waiting: [on(1, { queuedAt: now - 3 * minute }), on(2, b)],
    rules: linear,
    batches: [],
    held: [0, 1],
    untilMin: 2,
  },
  {
    name: 'disjoint pull requests are in different batches',
    waiting: [on(1), on(2, b), on(3), on(4, b)],
    rules: linear,
    batches: [
      [0, 2],
      [1, 3],
    ],
  },
  {
    name: 'a pull request that skips the line is in no batch',
    waiting: [on(1), on(2), on(3, { skipLine: true, rank: 0 })],
    rules: { ...linear, batchSize: 3 },
    batches: [],
    held: [1, 2],
    untilMin: 4,
  },
  {
    name: 'a stack and a barrier are in no batch, and divide the pull requests around them',
    waiting: [on(1), on(2, { stack: 'p2' }), on(3, { isBarrier: true }), on(4)],
    rules: atOnce,
    batches: [],
  },
  {
    name: 'a pull request with a build is in no batch',
    waiting: three,
    line: [built('pending', [1])],
    rules: atOnce,
    batches: [[1, 2]],
  },
  {
    name: 'no batch is formed if any number of builds may run',
    waiting: four,
    rules: busy,
    free: Infinity,
    batches: [],
  },
  {
    name: 'if one build may start, four pull requests that mostly pass are a batch',
    waiting: four.map((each) => ({ ...each, ...good })),
    rules: busy,
    free: 1,
    batches: [[0, 1, 2, 3]],
  },
  {
    name: 'if one build may start, four pull requests that mostly fail are no batch',
    waiting: four.map((each) => ({ ...each, successProbability: 0.3 })),
    rules: busy,
    free: 1,
    batches: [],
  },
  {
    name: 'no batch is formed if as many builds may start as pull requests wait',
    waiting: four.map((each) => ({ ...each, ...good })),
    rules: busy,
    free: 4,
    batches: [],
  },
  {
    name: 'if two builds may start, a component of four is no batch',
    waiting: four.map((each) => ({ ...each, ...good })),
    rules: busy,
    free: 2,
    batches: [],
  },
  {
    name: 'if two builds may start, two components of two are two batches',
    waiting: [on(1, good), on(2, good), on(3, { ...b, ...good }), on(4, { ...b, ...good })],
    rules: busy,
    free: 2,
    batches: [
      [0, 1],
      [2, 3],
    ],
  },
  {
    name: 'a running build counts among the builds that a component may have',
    waiting: four.map((each) => ({ ...each, ...good })),
    line: [built('pending', [1])],
    rules: busy,
    free: 1,
    batches: [],
  },
  {
    name: 'an isolated first build counts among them too, also after another pull request has landed',
    waiting: four.map((each) => ({ ...each, ...good, status: 'tagged', targets: null })),
    line: [
      {
        of: [2],
        build: 'pending',
        change: { sideBuild: 'speculative', assumes: [], base: 'root', parentCommit: 'root' },
      },
    ],
    queue: { lineage: ['tip', 'root'] },
    change: {
      landings: [{ commit: 'tip', firstParent: 'root', members: [{ pullRequest: 'p9', head: 'h9', targets: null }] }],
    },
    rules: busy,
    free: 1,
    batches: [],
  },
  {
    name: 'if one build runs and no other may start, the pull requests without a build are a batch',
    waiting: four.map((each) => ({ ...each, ...good })),
    line: [built('pending', [1])],
    rules: busy,
    free: 0,
    batches: [[1, 2, 3]],
  },
  {
    name: 'the members of a red batch are in no other batch',
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
