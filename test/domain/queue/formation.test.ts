import { describe, expect, it, test } from 'vitest';
import { linePositionOf } from '../../../src/domain/queue/explain/line-position.ts';
import { plan } from '../../../src/domain/queue/plan.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { minute, now, planned, pr, serial, situation, type Situation } from './situation.ts';

/** A green batch whose own check still runs. */
const oneHeld: Situation = {
  line: [{ of: [1], build: 'success' }],
  waiting: [pr(1, { ownVerdict: 'pending', status: 'tagged' }), pr(2)],
  rules: { ownRequiredChecks: null, stuckTimeoutMins: 60 },
};

describe('the next builds', () => {
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['an empty queue starts nothing', {}, []],
    ['the first in line is built on the tip', { waiting: [pr(2), pr(1)] }, ['start new p1 on tip']],
    [
      'the next one is built on the batch before it',
      { line: [{ of: [1], build: 'pending' }], waiting: [pr(2)] },
      ['start new p2 on b1'],
    ],
    ['nothing is built on a batch that has no commit', { line: [{ of: [1], build: 'making' }], waiting: [pr(2)] }, []],
    [
      'a batch holds up to the batch size',
      { waiting: [pr(1), pr(2), pr(3)], rules: { batchSize: 2 } },
      ['start new p1 p2 on tip'],
    ],
    [
      'a batch that is not full starts at once without a wait',
      { waiting: [pr(1)], rules: { batchSize: 4 } },
      ['start new p1 on tip'],
    ],
    [
      'a pull request waits for others, if that is configured',
      { waiting: [pr(1)], rules: { batchSize: 4, batchMaxWaitMinutes: 5 } },
      ['look again in 4 min'],
    ],
    [
      'a pull request is built after the oldest one has waited long enough',
      { waiting: [pr(1, { queuedAt: now - 5 * minute }), pr(2)], rules: { batchSize: 4, batchMaxWaitMinutes: 5 } },
      ['start new p1 p2 on tip'],
    ],
    [
      'a build and the own checks of its pull request count as one build',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [pr(1, { status: 'tagged', ownVerdict: 'pending' }), pr(2)],
        rules: { ownRequiredChecks: null, maxParallelBuilds: 2 },
      },
      ['start new p2 on b1'],
    ],
    [
      'a green batch counts as a build while the own checks of one of its pull requests run',
      {
        line: [{ of: [1, 2], build: 'success' }],
        waiting: [pr(1, { status: 'tagged', ownVerdict: 'pending' }), pr(3)],
        rules: { ownRequiredChecks: null, maxParallelBuilds: 1, batchSize: 2 },
      },
      [],
    ],
    [
      'a part of a bisected batch does not wait',
      {
        waiting: [pr(1, { bisection: { group: 'g', max: 2, attempts: 1, phase: 'in_place' } })],
        rules: { batchSize: 4, batchMaxWaitMinutes: 5 },
      },
      ['start bisect p1 on tip'],
    ],
    [
      'a pull request does not wait if the stack behind it is too large for its batch',
      {
        waiting: [pr(1), pr(2, { stack: 'p2' }), pr(3, { stack: 'p2', below: 'p2' })],
        rules: { batchSize: 2, batchMaxWaitMinutes: 5 },
      },
      ['start new p1 on tip'],
    ],
    [
      'the first in line is tried again on the tip if it conflicted with an earlier tip',
      { waiting: [pr(1, { conflict: { parent: 'old', after: [] } }), pr(2)], queue: { lineage: ['tip', 'old'] } },
      ['start probe p1 on tip'],
    ],
    [
      'nothing is built on a batch that takes too long',
      {
        line: [
          { of: [1], build: 'pending', change: { buildStartedAt: now } },
          { of: [2], build: 'pending' },
        ],
        waiting: [pr(3)],
        rules: { ciTimeoutMins: 1 },
      },
      ['look again in 1 min'],
    ],
    [
      'nothing is built on a batch that did not pass its final gate',
      {
        line: [
          { of: [1], build: 'pending' },
          {
            of: [2],
            build: 'success',
            change: {
              gates: [{ workflow: 'smoke', timeoutMins: 5, run: { state: 'failed', plannedAt: now, reason: null } }],
            },
          },
        ],
        waiting: [pr(3)],
      },
      [],
    ],
    [
      'a full batch does not wait',
      { waiting: [pr(1), pr(2)], rules: { batchSize: 2, batchMaxWaitMinutes: 5 } },
      ['start new p1 p2 on tip'],
    ],
    [
      'a pull request that no other can join does not wait',
      { waiting: [pr(1), pr(2, { skipValidation: true })], rules: { batchSize: 4, batchMaxWaitMinutes: 5 } },
      ['start new p1 on tip'],
    ],
    [
      'a pull request that skips the line is built first, alone',
      { waiting: [pr(1), pr(2), pr(3, { skipLine: true }), pr(4, { skipLine: true })], rules: { batchSize: 4 } },
      ['start new p3 on tip'],
    ],
    [
      'a pull request with skipped validation is built alone',
      { waiting: [pr(1, { skipValidation: true }), pr(2)], rules: { batchSize: 4 } },
      ['start new p1 on tip'],
    ],
    [
      'halves are not mixed with other pull requests',
      {
        waiting: [pr(1, { bisection: { group: 'g', max: 2, attempts: 1, phase: 'in_place' } }), pr(2)],
        rules: { batchSize: 4, batchMaxWaitMinutes: 5 },
      },
      ['start bisect p1 on tip'],
    ],
    [
      'halves of different batches are not mixed',
      {
        waiting: [
          pr(1, { bisection: { group: 'g', max: 2, attempts: 1, phase: 'in_place' } }),
          pr(2, { bisection: { group: 'other', max: 2, attempts: 1, phase: 'in_place' } }),
        ],
        rules: { batchSize: 4 },
      },
      ['start bisect p1 on tip'],
    ],
    [
      'a half is at most as large as the batch size',
      {
        waiting: [1, 2, 3].map((n) => pr(n, { bisection: { group: 'g', max: 3, attempts: 1, phase: 'in_place' } })),
        rules: { batchSize: 2 },
      },
      ['start bisect p1 p2 on tip'],
    ],
    [
      'no more builds than allowed run at once',
      { line: [{ of: [1], build: 'pending' }], waiting: [pr(2)], rules: { maxParallelBuilds: 1 } },
      [],
    ],
    [
      'a finished build leaves room',
      {
        line: [{ of: [1], build: 'success', change: { landingPlanned: true } }],
        waiting: [pr(2)],
        rules: { maxParallelBuilds: 1 },
      },
      ['start new p2 on b1'],
    ],
    [
      'builds of other queues count for the limit',
      { waiting: [pr(1)], rules: { maxParallelBuilds: 2 }, queue: { buildsElsewhere: 2 } },
      [],
    ],
    [
      'skipped validation needs no free build',
      { waiting: [pr(1, { skipValidation: true })], rules: { maxParallelBuilds: 2 }, queue: { buildsElsewhere: 2 } },
      ['start new p1 on tip'],
    ],
    [
      'serial mode has one batch of one',
      { waiting: [pr(1), pr(2)], rules: { ...serial, batchSize: 4 } },
      ['start new p1 on tip'],
    ],
    [
      'serial mode waits for this batch',
      { line: [{ of: [1], build: 'pending' }], waiting: [pr(2)], rules: serial },
      [],
    ],
    ['a paused queue starts nothing', { waiting: [pr(1)], queue: { paused: true } }, []],
    [
      'a halted queue decides nothing',
      { line: [{ of: [1], build: 'success' }], waiting: [pr(2)], queue: { haltedReason: 'DATABASE_RESTORED' } },
      [],
    ],
    [
      'nothing is built on a red batch',
      {
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'failure' },
        ],
        waiting: [pr(3)],
      },
      [],
    ],
    [
      'during a pause, as many builds start as are allowed then',
      { waiting: [pr(1), pr(2)], queue: { paused: true }, rules: { maxParallelBuilds: 3, maxParallelPausedBuilds: 1 } },
      ['start new p1 on tip'],
    ],
    [
      'during a pause, no more builds start',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [pr(2)],
        queue: { paused: true },
        rules: { maxParallelBuilds: 3, maxParallelPausedBuilds: 1 },
      },
      [],
    ],
    [
      'during a pause, no build starts if none is allowed',
      {
        waiting: [pr(1, { skipValidation: true })],
        queue: { paused: true },
        rules: { maxParallelBuilds: 3, maxParallelPausedBuilds: 0 },
      },
      [],
    ],
    [
      'outside of the merge windows, builds go on',
      { waiting: [pr(1)], queue: { landingsFrom: now + 9 * minute } },
      ['start new p1 on tip'],
    ],
    [
      'a build that waits for own checks counts for the limit',
      { ...oneHeld, rules: { ...oneHeld.rules, maxParallelBuilds: 1 } },
      ['look again in 60 min'],
    ],
    [
      'such a build does not count within max_topup_builds',
      { ...oneHeld, rules: { ...oneHeld.rules, maxParallelBuilds: 1, maxTopupBuilds: 1 } },
      ['start new p2 on b1', 'look again in 60 min'],
    ],
    [
      'each pull request that waits for own checks allows one more build',
      {
        ...oneHeld,
        line: [...(oneHeld.line ?? []), { of: [2], build: 'pending' }],
        waiting: [...(oneHeld.waiting ?? []), pr(3)],
        rules: { ...oneHeld.rules, maxParallelBuilds: 1, maxTopupBuilds: 5 },
      },
      ['look again in 60 min'],
    ],
    [
      'such a build does not count while it also waits for a conflicting pull request before it',
      {
        line: [{ of: [3], build: 'success' }],
        waiting: [
          pr(1, { conflict: { parent: 'older', after: [] } }),
          pr(3, { ownVerdict: 'pending', status: 'tagged' }),
          pr(4),
        ],
        queue: { lineage: ['older', 'tip'] },
        rules: { ...oneHeld.rules, maxParallelBuilds: 1 },
      },
      ['start probe p1 on tip'],
    ],
    [
      'such a build does not count while the builds before it run',
      {
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'success' },
        ],
        waiting: [pr(2, { ownVerdict: 'pending', status: 'tagged' }), pr(3)],
        rules: { ...oneHeld.rules, maxParallelBuilds: 2 },
      },
      ['start new p3 on b2'],
    ],
    [
      'such a build does not count while nothing may land',
      { ...oneHeld, queue: { landingsFrom: now + minute }, rules: { ...oneHeld.rules, maxParallelBuilds: 1 } },
      ['start new p2 on b1', 'look again in 1 min'],
    ],
    ['a retry has the cause `retry`', { waiting: [pr(1, { requeueAttempts: 1 })] }, ['start retry p1 on tip']],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('the speculation begins with the parent of the first live batch', () => {
    const landed = situation({
      line: [
        { of: [2], build: 'pending', change: { parentBatch: 'landed', parentCommit: 'landing', base: 'old tip' } },
      ],
      waiting: [pr(3)],
      queue: { tip: 'landing', lineage: ['old tip', 'landing'] },
    });
    expect(plan(landed, now)).toContainEqual(
      expect.objectContaining({ kind: 'StartBatch', parentBatch: 'b1', base: 'landing', position: 100 }),
    );
  });
});

describe('the top of the queue', () => {
  const unannounced = { topAnnounced: false };
  const cases: readonly (readonly [name: string, from: Situation, announced: boolean])[] = [
    [
      'is announced in parallel mode when its build has started',
      { line: [{ of: [1], build: 'pending' }], waiting: [pr(1, { ...unannounced, status: 'tagged' })] },
      true,
    ],
    [
      'is not announced before its build has started',
      { line: [{ of: [1], build: 'making' }], waiting: [pr(1, unannounced)] },
      false,
    ],
    [
      'is announced without a bot pull request when it is validated',
      { line: [{ of: [1], build: 'unstarted' }], waiting: [pr(1, { ...unannounced, skipValidation: true })] },
      true,
    ],
    [
      'is announced in serial mode as soon as it is first',
      { line: [{ of: [1], build: 'making' }], waiting: [pr(1, unannounced)], rules: serial },
      true,
    ],
    ['is announced only once', { line: [{ of: [1], build: 'pending' }] }, false],
    [
      'is announced only for the first in line',
      {
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'pending' },
        ],
        waiting: [pr(2, { ...unannounced, status: 'tagged' })],
      },
      false,
    ],
    [
      'is announced during a pause too',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [pr(1, { ...unannounced, status: 'tagged' })],
        queue: { paused: true },
      },
      true,
    ],
  ];
  test.each(cases)('%s', (_name, from, announced) => expect(planned(from).includes('announce p1')).toBe(announced));
});

describe('a barrier', () => {
  const barrier = pr(2, { isBarrier: true });
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    [
      'ends the batch before it, which no pull request can join any more',
      { waiting: [pr(1), barrier, pr(3)], rules: { batchSize: 4, batchMaxWaitMinutes: 5 } },
      ['start new p1 on tip'],
    ],
    [
      'is built alone on those before it',
      { line: [{ of: [1], build: 'pending' }], waiting: [barrier, pr(3)], rules: { batchSize: 4 } },
      ['start new p2 on b1'],
    ],
    [
      'stops builds behind it while it is built',
      { line: [{ of: [2], build: 'pending' }], waiting: [{ ...barrier, status: 'tagged' }, pr(3)] },
      [],
    ],
    [
      'stops builds behind it while it waits for its landing',
      {
        line: [{ of: [2], build: 'success' }],
        waiting: [{ ...barrier, status: 'tagged' }, pr(3)],
        queue: { paused: true },
      },
      [],
    ],
    ['does not stop builds before it', { waiting: [pr(1), barrier] }, ['start new p1 on tip']],
    [
      'does not stop builds that started behind it before it became a barrier',
      {
        line: [
          { of: [2], build: 'pending' },
          { of: [3], build: 'pending' },
        ],
        waiting: [{ ...barrier, status: 'tagged' }, pr(4)],
      },
      [],
    ],
    [
      'is built after a pull request that skips the line',
      { waiting: [barrier, pr(3, { skipLine: true })] },
      ['start new p3 on tip'],
    ],
    [
      'with a conflict stops builds behind it until the conflict is decided',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [pr(2, { isBarrier: true, conflict: { parent: 'commit of b1', after: [] } }), pr(3)],
      },
      [],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('pull requests that are stacked on each other', () => {
  const cycle = [pr(2, { stack: 'p3', below: 'p3' }), pr(3, { stack: 'p2', below: 'p2' })];

  it('leave the line, and the others are built', () => {
    expect(planned({ waiting: [...cycle, pr(4)] })).toEqual([
      'pend p2 below p3',
      'pend p3 below p2',
      'start new p4 on tip',
    ]);
  });

  it('wait while a landing is under way', () => {
    const landing = { of: [1], build: 'success', change: { landingPlanned: true, landingStarted: true } } as const;
    expect(planned({ line: [landing, { of: [4], build: 'pending' }], waiting: cycle })).toEqual([]);
  });

  it('are explained by the pull request below', () => {
    const view = viewLine(situation({ line: [{ of: [1], build: 'pending' }], waiting: cycle }), now);
    expect(linePositionOf(view, 'p2', { causes: new Map() })?.hold).toBeNull();
  });
});

describe('pull requests of one stack', () => {
  const of = (stack: string, ...numbers: number[]) => numbers.map((number) => pr(number, { stack }));
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['share a batch, even above the batch size', { waiting: of('s', 1, 2, 3) }, ['start new p1 p2 p3 on tip']],
    [
      'are not divided: a stack that does not fit is the next batch',
      { waiting: [pr(1), ...of('s', 2, 3), pr(4)], rules: { batchSize: 2 } },
      ['start new p1 on tip'],
    ],
    [
      'fill a batch of their own without others',
      { line: [{ of: [1], build: 'pending' }], waiting: [...of('s', 2, 3), pr(4)], rules: { batchSize: 2 } },
      ['start new p2 p3 on b1'],
    ],
    [
      'share a batch with others if there is room',
      { waiting: [pr(1), ...of('s', 2, 3), pr(4)], rules: { batchSize: 4 } },
      ['start new p1 p2 p3 p4 on tip'],
    ],
    ['of two stacks are in two batches', { waiting: [...of('s', 1, 2), ...of('t', 3, 4)] }, ['start new p1 p2 on tip']],
    [
      'are two groups if another pull request is between them',
      { waiting: [...of('s', 1, 2), pr(3), ...of('s', 4)] },
      ['start new p1 p2 on tip'],
    ],
    [
      'are bisected like other pull requests',
      {
        waiting: [1, 2, 3, 4].map((n) =>
          pr(n, { stack: 's', bisection: { group: 'g', max: 2, attempts: 1, phase: 'in_place' } }),
        ),
        rules: { batchSize: 4 },
      },
      ['start bisect p1 p2 on tip'],
    ],
    ['are built one by one in serial mode', { waiting: of('s', 1, 2), rules: serial }, ['start new p1 on tip']],
    [
      'skip the line one by one',
      { waiting: of('s', 1, 2).map((member) => ({ ...member, skipLine: true })) },
      ['start new p1 on tip'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});
