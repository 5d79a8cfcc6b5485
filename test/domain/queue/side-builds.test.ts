// Builds beside the line: parts of a bisected batch, and builds of a pull request that is red behind others.
import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import type { BisectionPhase } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, planned, pr, situation, type BatchSpec, type Situation } from './situation.ts';

type Case = readonly [name: string, from: Situation, decisions: readonly string[]];

const bisecting = { batchSize: 4, useParallelBisection: true, useOptimisticValidation: false };

function bisected(numbers: readonly number[], phase: BisectionPhase, change: { max?: number; attempts?: number } = {}) {
  const bisection = { group: 'g', max: 2, attempts: 1, phase, ...change };
  return numbers.map((number) => pr(number, { bisection }));
}

function part(of: readonly number[], build: BatchSpec['build'], change: BatchSpec['change'] = {}): BatchSpec {
  return { of, build, change: { sideBuild: 'part', ...change } };
}

describe('a red batch of several', () => {
  const red: BatchSpec = { of: [1, 2, 3, 4], build: 'failure' };
  const cases: readonly Case[] = [
    [
      'is bisected: both halves are built on the tip at once, and the line goes on without them',
      { line: [red, { of: [5, 6], build: 'pending' }], rules: bisecting },
      [
        'bisect b1 p1+p2 | p3+p4',
        'supersede b2 301 by p1',
        'build part bisect p1 p2 on tip',
        'build part bisect p3 p4 on tip',
        'start new p5 p6 on tip',
      ],
    ],
    [
      'is bisected with one part at a time, if only one may be built',
      { line: [red], rules: { ...bisecting, maxParallelBisectedBuilds: 1 } },
      ['bisect b1 p1+p2 | p3+p4', 'build part bisect p1 p2 on tip'],
    ],
    [
      'is bisected within the limit of builds, in which the parts go before the line',
      { line: [red], waiting: [pr(5)], rules: { ...bisecting, maxParallelBuilds: 2 } },
      ['bisect b1 p1+p2 | p3+p4', 'build part bisect p1 p2 on tip', 'build part bisect p3 p4 on tip'],
    ],
    [
      'of two: the second is built after the first is decided',
      { line: [{ of: [1, 2], build: 'failure' }], rules: bisecting },
      ['bisect b1 p1 | p2', 'build part bisect p1 on tip'],
    ],
    [
      'with a stack in it is bisected in the line',
      {
        line: [{ of: [1, 2], build: 'failure' }],
        waiting: [pr(1, { status: 'tagged', stack: 'p1' })],
        rules: bisecting,
      },
      ['bisect b1 p1 | p2', 'start bisect p1 on tip'],
    ],
    [
      'fails as a whole if it may not be bisected',
      { line: [{ of: [1, 2], build: 'failure' }], rules: { ...bisecting, maxBisectionAttempts: 0 } },
      ['fail b1', 'block p1 107', 'block p2 107'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('a part beside the line', () => {
  const behind: BatchSpec = { of: [5], build: 'pending' };
  const cases: readonly Case[] = [
    [
      'does not delay the landings behind it',
      {
        line: [part([1, 2], 'pending'), { of: [5], build: 'success' }],
        waiting: bisected([1, 2], 'side_build'),
        rules: bisecting,
      },
      ['land b2 by commit of b2'],
    ],
    [
      'never lands: if it is green, its members return to the line, behind the builds there',
      { line: [part([1, 2], 'success'), behind], waiting: bisected([1, 2], 'side_build'), rules: bisecting },
      ['return b1', 'start bisect p1 p2 on b2'],
    ],
    [
      'is bisected again if it is red',
      { line: [part([1, 2], 'failure')], waiting: bisected([1, 2], 'side_build'), rules: bisecting },
      ['bisect b1 p1 | p2', 'build part bisect p1 on tip'],
    ],
    [
      'returns to the line if it may not be bisected, because pull requests before it are not decided',
      {
        line: [part([3, 4], 'failure'), behind],
        waiting: bisected([3, 4], 'side_build'),
        rules: { ...bisecting, maxBisectionAttempts: 1 },
      },
      ['return b1', 'start bisect p3 p4 on b2'],
    ],
    [
      'of one pull request fails if it is red on the tip',
      { line: [part([3], 'failure'), behind], waiting: bisected([3], 'side_build', { max: 1 }), rules: bisecting },
      ['fail b1', 'block p3 107'],
    ],
    [
      'of one fails if only landings have moved the base since',
      {
        line: [part([3], 'failure', { parentCommit: 'before', base: 'before' })],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: bisecting,
        queue: { lineage: ['tip', 'before'], ownLine: ['tip', 'before'] },
      },
      ['fail b1', 'block p3 107'],
    ],
    [
      'of one returns to the line if somebody else has moved the base',
      {
        line: [part([3], 'failure', { parentCommit: 'before', base: 'before' })],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: bisecting,
        queue: { lineage: ['tip', 'before'], ownLine: ['tip'] },
      },
      ['return b1', 'start bisect p3 on tip'],
    ],
    [
      'of one does not fail if another build of its tree is green',
      {
        line: [
          part([3], 'failure', { tree: 'same tree' }),
          { of: [5], build: 'success', change: { tree: 'same tree' } },
        ],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: bisecting,
      },
      ['return b1', 'start bisect p3 on b2', 'land b2 by commit of b2'],
    ],
    [
      'of one with green own checks is tried again as often as allowed',
      {
        line: [part([3], 'failure')],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: { ...bisecting, maxRequeueAttempts: 1 },
      },
      ['fail b1', 'requeue p3', 'build part bisect p3 on tip'],
    ],
    [
      'that does not merge without earlier pull requests is built in line',
      {
        line: [part([3, 4], 'making', { givenUp: true })],
        waiting: bisected([3, 4], 'side_build'),
        rules: bisecting,
      },
      ['return b1', 'start bisect p3 p4 on tip'],
    ],
    [
      'whose build was canceled is built again',
      {
        line: [part([1, 2], 'cancelled')],
        waiting: bisected([1, 2], 'side_build'),
        rules: bisecting,
      },
      ['supersede b1 309', 'build part bisect p1 p2 on tip'],
    ],
    [
      'ends if a member leaves, and the other member is built alone',
      {
        line: [part([1, 2], 'pending')],
        waiting: bisected([2], 'side_build'),
        rules: bisecting,
        change: { departures: [{ pullRequest: 'p1', code: 303 }] },
      },
      ['supersede b1 303 by p1', 'build part bisect p2 on tip'],
    ],
    [
      'ends if a member skips the line, and this member is built before all others',
      {
        line: [part([1, 2], 'pending'), behind],
        waiting: bisected([1, 2], 'side_build').map((one) => ({ ...one, skipLine: one.number === 2 })),
        rules: bisecting,
      },
      ['supersede b2 302 by p2', 'supersede b1 302 by p2', 'build part bisect p1 on tip', 'start bisect p2 on tip'],
    ],
    [
      'ends if another pull request is stacked on a member, and both are built in line',
      {
        line: [part([1, 2], 'pending')],
        waiting: [
          ...bisected([1, 2], 'side_build').map((one) => ({ ...one, stack: 'p1' })),
          pr(3, { stack: 'p1', below: 'p2' }),
        ],
        rules: bisecting,
      },
      ['supersede b1 309 by p1', 'start bisect p1 p2 on tip'],
    ],
    [
      'goes on to its end if the key is switched off',
      {
        line: [part([1, 2], 'pending')],
        waiting: bisected([1, 2], 'side_build'),
        rules: { ...bisecting, useParallelBisection: false },
      },
      [],
    ],
    [
      'is not started after the key was switched off: its members are built in line',
      { waiting: bisected([1, 2], 'side_build'), rules: { ...bisecting, useParallelBisection: false } },
      ['start bisect p1 p2 on tip'],
    ],
    [
      'is not started while the queue is paused',
      { waiting: bisected([1, 2], 'side_build'), rules: bisecting, queue: { paused: true } },
      [],
    ],
    [
      'is started while the queue is paused, if builds are allowed then',
      {
        waiting: bisected([1, 2], 'side_build'),
        rules: { ...bisecting, maxParallelPausedBuilds: 1 },
        queue: { paused: true },
      },
      ['build part bisect p1 p2 on tip'],
    ],
    [
      'waits for a barrier that is before it in line',
      { waiting: [pr(1, { isBarrier: true }), ...bisected([2, 3], 'side_build')], rules: bisecting },
      ['start new p1 on tip'],
    ],
    [
      'does not wait for a barrier that is behind it',
      {
        line: [{ of: [9], build: 'pending' }],
        waiting: [...bisected([1, 2], 'side_build'), pr(10, { isBarrier: true })],
        rules: { ...bisecting, maxParallelBuilds: 2 },
      },
      ['build part bisect p1 p2 on tip'],
    ],
    [
      'waits while as many parts run as are allowed',
      {
        line: [part([1, 2], 'pending')],
        waiting: bisected([1, 2, 3, 4], 'side_build'),
        rules: { ...bisecting, maxParallelBisectedBuilds: 1 },
      },
      [],
    ],
    [
      'is started beside another part, if two are allowed',
      {
        line: [part([1, 2], 'pending')],
        waiting: bisected([1, 2, 3, 4], 'side_build'),
        rules: { ...bisecting, maxParallelBisectedBuilds: 2 },
      },
      ['build part bisect p3 p4 on tip'],
    ],
    [
      'is started beside a build that isolates a pull request, which does not count as a part',
      {
        line: [
          { of: [5], build: 'pending' },
          { of: [6], build: 'failure' },
          { of: [6], build: 'pending', change: { sideBuild: 'isolation' } },
        ],
        waiting: bisected([1, 2], 'side_build'),
        rules: { ...bisecting, useProactiveDequeue: true, maxParallelBisectedBuilds: 1 },
      },
      ['build part bisect p1 p2 on tip'],
    ],
    [
      'is started within the limit of builds, in which a build that does not merge does not count',
      {
        line: [
          { of: [5], build: 'pending' },
          { of: [6], build: 'failure' },
          { of: [6], build: 'making', change: { sideBuild: 'isolation', givenUp: true } },
        ],
        waiting: bisected([1, 2], 'side_build'),
        rules: { ...bisecting, useProactiveDequeue: true, maxParallelBuilds: 2 },
      },
      ['build part bisect p1 p2 on tip'],
    ],
    [
      'of one pull request fails if it takes too long',
      {
        line: [part([3], 'pending')],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: { ...bisecting, ciTimeoutMins: 1 },
      },
      ['fail b1', 'block p3 111'],
    ],
    [
      'ends if its members are in line again',
      { line: [part([1, 2], 'pending')], waiting: bisected([1, 2], 'returned'), rules: bisecting },
      ['supersede b1 309 by p1', 'start bisect p1 p2 on tip'],
    ],
    [
      'of one waits for the pull requests that were before it',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [...bisected([1], 'returned'), ...bisected([3], 'side_build', { max: 1 })],
        rules: bisecting,
      },
      [],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('fails with the text of any failed check', () => {
    const from = situation({
      line: [part([3], 'failure')],
      waiting: bisected([3], 'side_build', { max: 1 }),
      rules: bisecting,
    });
    expect(plan(from, now)).toContainEqual(
      expect.objectContaining({ kind: 'BlockPullRequest', text: 'A required check failed: test.' }),
    );
  });
});

describe('pull requests that return to the line', () => {
  const cases: readonly Case[] = [
    [
      'go before pull requests without builds, whatever their numbers',
      { line: [{ of: [5], build: 'pending' }], waiting: [...bisected([1, 2], 'returned'), pr(6)], rules: bisecting },
      ['start bisect p1 p2 on b1'],
    ],
    [
      'land by the build in their place',
      {
        line: [
          { of: [5], build: 'success' },
          { of: [1, 2], build: 'success' },
        ],
        waiting: bisected([1, 2], 'returned'),
        rules: bisecting,
      },
      ['land b1 by commit of b1'],
    ],
    [
      'are bisected beside the line once more if they are red at the head',
      { line: [{ of: [1, 2], build: 'failure' }], waiting: bisected([1, 2], 'returned'), rules: bisecting },
      ['bisect b1 p1 | p2', 'build part bisect p1 on tip'],
    ],
    [
      'fail alone',
      { line: [{ of: [3], build: 'failure' }], waiting: bisected([3], 'returned', { max: 1 }), rules: bisecting },
      ['fail b1', 'block p3 107'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('a pull request that is red behind others', () => {
  const asking = { useProactiveDequeue: true, useOptimisticValidation: false };
  const first: BatchSpec = { of: [1], build: 'pending' };
  const red: BatchSpec = { of: [2], build: 'failure' };
  const question = (build: BatchSpec['build'], change: BatchSpec['change'] = {}): BatchSpec => ({
    of: [2],
    build,
    change: { sideBuild: 'isolation', ...change },
  });
  const cases: readonly Case[] = [
    [
      'waits until it is first, if the key is off',
      { line: [first, red], rules: { useOptimisticValidation: false } },
      [],
    ],
    [
      'is built once more, alone on the tip',
      { line: [first, red], rules: asking },
      ['build isolation probe p2 on tip'],
    ],
    [
      'is built after the delay',
      {
        line: [first, { ...red, buildChange: { lastEndAt: now - minute } }],
        rules: { ...asking, proactiveDequeueDelaySeconds: 120 },
      },
      ['look again in 1 min'],
    ],
    [
      'is built when the delay is over',
      {
        line: [first, { ...red, buildChange: { lastEndAt: now - minute } }],
        rules: { ...asking, proactiveDequeueDelaySeconds: 60 },
      },
      ['build isolation probe p2 on tip'],
    ],
    [
      'is built after the delay, from the start of its build if no end is known',
      {
        line: [first, { ...red, buildChange: { lastEndAt: null } }],
        rules: { ...asking, proactiveDequeueDelaySeconds: 120 },
      },
      ['look again in 1 min'],
    ],
    [
      'is built although another one is built alone',
      {
        line: [first, red, { of: [3], build: 'failure' }, { ...question('pending'), of: [3] }],
        rules: asking,
      },
      ['build isolation probe p2 on tip'],
    ],
    [
      'is built alone again for a newer build in line',
      { line: [first, question('pending'), red], rules: asking },
      ['supersede b2 309', 'build isolation probe p2 on tip'],
    ],
    ['is built within the limit of builds', { line: [first, red], rules: { ...asking, maxParallelBuilds: 1 } }, []],
    ['once', { line: [first, red, question('pending')], rules: asking }, []],
    [
      'is blocked if it is red there too, and those behind it are built without it',
      { line: [first, red, { of: [3], build: 'pending' }, question('failure')], rules: asking },
      ['fail b2', 'supersede b4 301 by p2', 'supersede b3 301 by p2', 'block p2 107', 'start new p3 on b1'],
    ],
    ['stays in line if it is green there', { line: [first, red, question('success')], rules: asking }, []],
    [
      'stays in line if it does not merge there',
      { line: [first, red, question('making', { givenUp: true })], rules: asking },
      [],
    ],
    [
      'stays in line if somebody else has moved the base of that build',
      { line: [first, red, question('failure', { parentCommit: 'before', base: 'before' })], rules: asking },
      [],
    ],
    [
      'is passed by a later green build before it can fail',
      {
        line: [first, red, { of: [3], build: 'success' }, question('failure')],
        rules: { ...asking, useOptimisticValidation: true },
      },
      [],
    ],
    [
      'waits if it is behind another red one',
      { line: [first, red, { of: [3], build: 'failure' }, question('pending')], rules: asking },
      [],
    ],
    [
      'waits until it is first if it is in a stack, because it cannot be built without those below',
      { line: [first, red], waiting: [pr(2, { status: 'tagged', stack: 'p1' })], rules: asking },
      [],
    ],
    [
      'waits until it is first if its batch has several members',
      { line: [first, { of: [2, 3], build: 'failure' }], rules: { ...asking, batchSize: 2 } },
      [],
    ],
    [
      'is not built alone any more if its own build has ended',
      { line: [first, question('pending')], rules: asking },
      ['supersede b2 309', 'start new p2 on b1'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});
