// What is built beside the line: parts of a bisected batch, and probes of a pull request that is red behind others.
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
      'is halved; both halves are built on the tip at once, and the line goes on without them',
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
      'is halved where only one part may be built at a time',
      { line: [red], rules: { ...bisecting, maxParallelBisectedBuilds: 1 } },
      ['bisect b1 p1+p2 | p3+p4', 'build part bisect p1 p2 on tip'],
    ],
    [
      'is halved within the builds allowed at once: the parts go before the line',
      { line: [red], waiting: [pr(5)], rules: { ...bisecting, maxParallelBuilds: 2 } },
      ['bisect b1 p1+p2 | p3+p4', 'build part bisect p1 p2 on tip', 'build part bisect p3 p4 on tip'],
    ],
    [
      'of two: the second is asked when the first is decided',
      { line: [{ of: [1, 2], build: 'failure' }], rules: bisecting },
      ['bisect b1 p1 | p2', 'build part bisect p1 on tip'],
    ],
    [
      'with a stack in it is halved in the line',
      {
        line: [{ of: [1, 2], build: 'failure' }],
        waiting: [pr(1, { status: 'tagged', stack: 'p1' })],
        rules: bisecting,
      },
      ['bisect b1 p1 | p2', 'start bisect p1 on tip'],
    ],
    [
      'is blamed as a whole where it may not be halved',
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
      'does not hold up those behind it',
      {
        line: [part([1, 2], 'pending'), { of: [5], build: 'success' }],
        waiting: bisected([1, 2], 'side_build'),
        rules: bisecting,
      },
      ['land b2 by commit of b2'],
    ],
    [
      'never lands: green, its members are in line again, behind what is being built',
      { line: [part([1, 2], 'success'), behind], waiting: bisected([1, 2], 'side_build'), rules: bisecting },
      ['return b1', 'start bisect p1 p2 on b2'],
    ],
    [
      'is halved again when it is red',
      { line: [part([1, 2], 'failure')], waiting: bisected([1, 2], 'side_build'), rules: bisecting },
      ['bisect b1 p1 | p2', 'build part bisect p1 on tip'],
    ],
    [
      'is judged in line where it may not be halved: what stood before it is not decided',
      {
        line: [part([3, 4], 'failure'), behind],
        waiting: bisected([3, 4], 'side_build'),
        rules: { ...bisecting, maxBisectionAttempts: 1 },
      },
      ['return b1', 'start bisect p3 p4 on b2'],
    ],
    [
      'is blamed when it is one, red on the tip',
      { line: [part([3], 'failure'), behind], waiting: bisected([3], 'side_build', { max: 1 }), rules: bisecting },
      ['fail b1', 'block p3 107'],
    ],
    [
      'is blamed when none but landings moved the base meanwhile',
      {
        line: [part([3], 'failure', { parentCommit: 'before', base: 'before' })],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: bisecting,
        queue: { lineage: ['tip', 'before'], ownLine: ['tip', 'before'] },
      },
      ['fail b1', 'block p3 107'],
    ],
    [
      'is tried in line when somebody else moved the base',
      {
        line: [part([3], 'failure', { parentCommit: 'before', base: 'before' })],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: bisecting,
        queue: { lineage: ['tip', 'before'], ownLine: ['tip'] },
      },
      ['return b1', 'start bisect p3 on tip'],
    ],
    [
      'is not blamed for its tree when that is green elsewhere',
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
      'is tried again as often as its own green checks allow',
      {
        line: [part([3], 'failure')],
        waiting: bisected([3], 'side_build', { max: 1 }),
        rules: { ...bisecting, maxRequeueAttempts: 1 },
      },
      ['fail b1', 'requeue p3', 'build part bisect p3 on tip'],
    ],
    [
      'that does not merge without those before it is built in line',
      {
        line: [part([3, 4], 'making', { givenUp: true })],
        waiting: bisected([3, 4], 'side_build'),
        rules: bisecting,
      },
      ['return b1', 'start bisect p3 p4 on tip'],
    ],
    [
      'is asked again when its build was canceled',
      {
        line: [{ ...part([1, 2], 'pending'), buildChange: { canceled: true } }],
        waiting: bisected([1, 2], 'side_build'),
        rules: bisecting,
      },
      ['supersede b1 309', 'build part bisect p1 p2 on tip'],
    ],
    [
      'goes when a member leaves; the other is asked by itself',
      {
        line: [part([1, 2], 'pending')],
        waiting: bisected([2], 'side_build'),
        rules: bisecting,
        change: { departures: [{ pullRequest: 'p1', code: 303 }] },
      },
      ['supersede b1 303 by p1', 'build part bisect p2 on tip'],
    ],
    [
      'goes when a member skips the line, which is built before all others',
      {
        line: [part([1, 2], 'pending'), behind],
        waiting: bisected([1, 2], 'side_build').map((one) => ({ ...one, skipLine: one.number === 2 })),
        rules: bisecting,
      },
      ['supersede b2 302 by p2', 'supersede b1 302 by p2', 'build part bisect p1 on tip', 'start bisect p2 on tip'],
    ],
    [
      'goes when another one is stacked on a member: what stands on it is built behind it',
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
      'is left to its end when the key is switched off',
      {
        line: [part([1, 2], 'pending')],
        waiting: bisected([1, 2], 'side_build'),
        rules: { ...bisecting, useParallelBisection: false },
      },
      [],
    ],
    [
      'is not started then: its members are built in line',
      { waiting: bisected([1, 2], 'side_build'), rules: { ...bisecting, useParallelBisection: false } },
      ['start bisect p1 p2 on tip'],
    ],
    [
      'is not started while the queue is paused',
      { waiting: bisected([1, 2], 'side_build'), rules: bisecting, queue: { paused: true } },
      [],
    ],
    [
      'of one waits for the pull requests that stood before it',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [...bisected([1], 'returned'), ...bisected([3], 'side_build', { max: 1 })],
        rules: bisecting,
      },
      [],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('is blamed with the message of any failure', () => {
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

describe('back in line', () => {
  const cases: readonly Case[] = [
    [
      'it goes before pull requests that have no build, whatever stands behind it by number',
      { line: [{ of: [5], build: 'pending' }], waiting: [...bisected([1, 2], 'returned'), pr(6)], rules: bisecting },
      ['start bisect p1 p2 on b1'],
    ],
    [
      'it lands where its build stands',
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
      'and is halved beside the line once more when it is red at the head',
      { line: [{ of: [1, 2], build: 'failure' }], waiting: bisected([1, 2], 'returned'), rules: bisecting },
      ['bisect b1 p1 | p2', 'build part bisect p1 on tip'],
    ],
    [
      'or blamed by itself',
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
      'waits for the head of the line where that is off',
      { line: [first, red], rules: { useOptimisticValidation: false } },
      [],
    ],
    [
      'is built once more, by itself on the tip',
      { line: [first, red], rules: asking },
      ['build isolation probe p2 on tip'],
    ],
    [
      'after the delay',
      {
        line: [first, { ...red, buildChange: { lastEndAt: now - minute } }],
        rules: { ...asking, proactiveDequeueDelaySeconds: 120 },
      },
      ['look again in 1 min'],
    ],
    [
      'when the delay is over',
      {
        line: [first, { ...red, buildChange: { lastEndAt: now - minute } }],
        rules: { ...asking, proactiveDequeueDelaySeconds: 60 },
      },
      ['build isolation probe p2 on tip'],
    ],
    ['within the builds allowed at once', { line: [first, red], rules: { ...asking, maxParallelBuilds: 1 } }, []],
    ['once', { line: [first, red, question('pending')], rules: asking }, []],
    [
      'is blocked when it is red there too, and what stood on it is built without it',
      { line: [first, red, { of: [3], build: 'pending' }, question('failure')], rules: asking },
      ['fail b2', 'supersede b4 301 by p2', 'supersede b3 301 by p2', 'block p2 107', 'start new p3 on b1'],
    ],
    ['stays where it is when it is green there', { line: [first, red, question('success')], rules: asking }, []],
    ['or does not merge there', { line: [first, red, question('making', { givenUp: true })], rules: asking }, []],
    [
      'stays when somebody else moved the base that it was asked on',
      { line: [first, red, question('failure', { parentCommit: 'before', base: 'before' })], rules: asking },
      [],
    ],
    [
      'is passed by a later build rather than blamed',
      {
        line: [first, red, { of: [3], build: 'success' }, question('failure')],
        rules: { ...asking, useOptimisticValidation: true },
      },
      [],
    ],
    [
      'waits while it stands on another red one',
      { line: [first, red, { of: [3], build: 'failure' }, question('pending')], rules: asking },
      [],
    ],
    [
      'waits for the head of the line in a stack: by itself it has what it stands on, too',
      { line: [first, red], waiting: [pr(2, { status: 'tagged', stack: 'p1' })], rules: asking },
      [],
    ],
    [
      'of several waits for the head of the line',
      { line: [first, { of: [2, 3], build: 'failure' }], rules: { ...asking, batchSize: 2 } },
      [],
    ],
    [
      'is asked about no longer when its own build is gone',
      { line: [first, question('pending')], rules: asking },
      ['supersede b2 309', 'start new p2 on b1'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});
