import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import { minute, now, planned, pr, serial, situation, type BatchSpec, type Situation } from './situation.ts';

const red: BatchSpec = { of: [1], build: 'failure' };
const pessimistic = { useOptimisticValidation: false };

describe('a red batch on the tip', () => {
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['of one fails, and its pull request is blocked', { line: [red] }, ['fail b1', 'block p1 107']],
    [
      'resets those behind it',
      { line: [red, { of: [2], build: 'pending' }], rules: pessimistic },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'of several is halved',
      { line: [{ of: [1, 2, 3], build: 'failure' }] },
      ['bisect b1 p1+p2 | p3', 'start bisect p1 on tip'],
    ],
    [
      'halves start by halves',
      { line: [{ of: [1, 2, 3], build: 'failure' }], rules: { batchSize: 4 } },
      ['bisect b1 p1+p2 | p3', 'start bisect p1 p2 on tip'],
    ],
    [
      'is halved though paused, and starts nothing',
      { line: [{ of: [1, 2], build: 'failure' }], queue: { paused: true } },
      ['bisect b1 p1 | p2'],
    ],
    [
      'goes back in line while attempts are left',
      { line: [red], rules: { maxRequeueAttempts: 1 } },
      ['fail b1', 'requeue p1', 'start retry p1 on tip'],
    ],
    [
      'but no more often than allowed',
      { line: [red], waiting: [pr(1, { requeueAttempts: 1 })], rules: { maxRequeueAttempts: 1 } },
      ['fail b1', 'block p1 107'],
    ],
    [
      'nor unless its own checks are green',
      { line: [red], waiting: [pr(1, { ownVerdict: 'none' })], rules: { maxRequeueAttempts: 1 } },
      ['fail b1', 'block p1 107'],
    ],
    [
      'that nobody tested is red',
      { line: [{ of: [1], build: 'success', buildChange: { checks: [] } }] },
      ['fail b1', 'block p1 107'],
    ],
    [
      'blames as soon as green is impossible',
      { line: [{ of: [1], build: 'failure', buildChange: { complete: false, finishedAt: null } }] },
      ['fail b1', 'block p1 107'],
    ],
    [
      'whose build was canceled is built again',
      { line: [{ of: [1], build: 'cancelled', buildChange: { canceled: true } }] },
      ['supersede b1 309', 'start new p1 on tip'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('the text of a blocked pull request names the checks that failed', () => {
    expect(plan(situation({ line: [red] }), now)).toContainEqual({
      kind: 'BlockPullRequest',
      pullRequest: 'p1',
      code: 107,
      text: 'A required check failed: test.',
      failedChecks: ['test'],
    });
    const untested = plan(situation({ line: [{ of: [1], build: 'success', buildChange: { checks: [] } }] }), now);
    expect(untested).toContainEqual({
      kind: 'BlockPullRequest',
      pullRequest: 'p1',
      code: 107,
      text: 'A required check failed: no check ran.',
      failedChecks: [],
    });
  });

  test('a red batch elsewhere waits for those before it', () => {
    expect(
      planned({
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'failure' },
        ],
      }),
    ).toEqual([]);
  });
});

describe('optimistic validation', () => {
  const pass = ['supersede b1 301 by p1', 'supersede b2 301 by p1', 'start optimistic p1 p2 on tip'];
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    [
      'a later green build passes the red one, as one batch on the tip',
      { line: [red, { of: [2], build: 'success' }] },
      pass,
    ],
    ['a pending one is waited for', { line: [red, { of: [2], build: 'pending' }] }, []],
    ['so is a build that is still being composed', { line: [red, { of: [2], build: 'making' }] }, []],
    [
      'two red ones are one failure more than depth 1 looks at',
      { line: [red, { of: [2], build: 'failure' }, { of: [3], build: 'success' }] },
      ['fail b1', 'supersede b2 301 by p1', 'supersede b3 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'depth 2 looks at it',
      {
        line: [red, { of: [2], build: 'failure' }, { of: [3], build: 'success' }],
        rules: { optimisticValidationFailureDepth: 2 },
      },
      [
        'supersede b1 301 by p1',
        'supersede b2 301 by p1',
        'supersede b3 301 by p1',
        'start optimistic p1 p2 p3 on tip',
      ],
    ],
    [
      'a green one further on counts before a pending one',
      {
        line: [red, { of: [2], build: 'pending' }, { of: [3], build: 'success' }],
        rules: { optimisticValidationFailureDepth: 2 },
      },
      [
        'supersede b1 301 by p1',
        'supersede b2 301 by p1',
        'supersede b3 301 by p1',
        'start optimistic p1 p2 p3 on tip',
      ],
    ],
    [
      'those behind the green one are reset',
      { line: [red, { of: [2], build: 'success' }, { of: [3], build: 'pending' }] },
      ['supersede b1 301 by p1', 'supersede b2 301 by p1', 'supersede b3 301 by p1', 'start optimistic p1 p2 on tip'],
    ],
    [
      'a paused queue keeps the pass for later',
      { line: [red, { of: [2], build: 'success' }], queue: { paused: true } },
      [],
    ],
    [
      'skipped validation is no evidence',
      { line: [red, { of: [2], build: 'unstarted' }], waiting: [pr(2, { skipValidation: true })] },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'nobody who stands between is passed over',
      {
        line: [red, { of: [3], build: 'success' }],
        waiting: [pr(2, { conflict: { parent: 'commit of b1', after: [] } })],
      },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'halves that were red together are not put together again',
      {
        line: [red, { of: [2], build: 'success' }],
        waiting: [1, 2].map((n) => pr(n, { bisection: { group: 'g', max: 1, attempts: 1, phase: 'in_place' } })),
      },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start bisect p2 on tip'],
    ],
    [
      'off, it blames at once',
      { line: [red, { of: [2], build: 'success' }], rules: pessimistic },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('the time limit of CI', () => {
  const slow: BatchSpec = { of: [1], build: 'pending', change: { buildStartedAt: now - 30 * minute } };
  const limit = { ciTimeoutMins: 30 };
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['a build that runs longer is blocked with 111', { line: [slow], rules: limit }, ['fail b1', 'block p1 111']],
    [
      'and is not tried again',
      { line: [slow], rules: { ...limit, maxRequeueAttempts: 3 } },
      ['fail b1', 'block p1 111'],
    ],
    [
      'several are halved',
      { line: [{ ...slow, of: [1, 2] }], rules: limit },
      ['bisect b1 p1 | p2', 'start bisect p1 on tip'],
    ],
    [
      'a shorter one is looked at again at its deadline',
      { line: [{ of: [1], build: 'pending' }], rules: limit },
      ['look again in 29 min'],
    ],
    [
      'the earliest deadline counts',
      {
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'pending', change: { buildStartedAt: now - 10 * minute } },
        ],
        rules: limit,
      },
      ['look again in 20 min'],
    ],
    ['without a limit it runs for ever', { line: [slow] }, []],
    ['a build that has not started has no deadline', { line: [{ of: [1], build: 'unstarted' }], rules: limit }, []],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('a required check of its own that failed', () => {
  const ownRed = { ownVerdict: 'red', ownFailedChecks: ['own'] } as const;
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['blocks it before it has a batch', { waiting: [pr(1, ownRed)] }, ['block p1 107']],
    [
      'resets its batch and those behind it',
      {
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'pending' },
          { of: [3], build: 'pending' },
        ],
        waiting: [pr(2, ownRed)],
      },
      ['supersede b2 301 by p2', 'supersede b3 301 by p2', 'block p2 107', 'start new p3 on b1'],
    ],
    [
      'blocks it though its build is green',
      { line: [{ of: [1], build: 'success' }], waiting: [pr(1, ownRed)] },
      ['supersede b1 301 by p1', 'block p1 107'],
    ],
    [
      'does not matter when validation is skipped',
      { line: [{ of: [1], build: 'unstarted' }], waiting: [pr(1, { ...ownRed, skipValidation: true })] },
      ['land b1 by nothing'],
    ],
    ['matters in serial mode', { waiting: [pr(1, ownRed)], rules: serial }, ['block p1 107']],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('the text names the failed checks', () => {
    expect(plan(situation({ waiting: [pr(1, ownRed)] }), now)).toEqual([
      {
        kind: 'BlockPullRequest',
        pullRequest: 'p1',
        code: 107,
        text: 'A required check failed: own.',
        failedChecks: ['own'],
      },
    ]);
  });
});

describe('bisection within limits', () => {
  const four: BatchSpec = { of: [1, 2, 3, 4], build: 'failure' };
  const bisected = (...numbers: number[]) =>
    numbers.map((n) => pr(n, { status: 'tagged', bisection: { group: 'g', max: 2, attempts: 1, phase: 'in_place' } }));
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    [
      'cuts into smaller parts where parts are to be small',
      { line: [four], rules: { batchSize: 4, maxBisectedBatchSize: 1 } },
      ['bisect b1 p1 | p2 | p3 | p4', 'start bisect p1 on tip'],
    ],
    [
      'never into larger ones than halves',
      { line: [four], rules: { batchSize: 4, maxBisectedBatchSize: 3 } },
      ['bisect b1 p1+p2 | p3+p4', 'start bisect p1 p2 on tip'],
    ],
    [
      'goes on while attempts are left',
      { line: [{ of: [1, 2], build: 'failure' }], waiting: bisected(1, 2), rules: { maxBisectionAttempts: 2 } },
      ['bisect b1 p1 | p2', 'start bisect p1 on tip'],
    ],
    [
      'then all that is left is blamed',
      { line: [{ of: [1, 2], build: 'failure' }], waiting: bisected(1, 2), rules: { maxBisectionAttempts: 1 } },
      ['fail b1', 'block p1 107', 'block p2 107'],
    ],
    [
      'or at once',
      { line: [four], rules: { maxBisectionAttempts: 0 } },
      ['fail b1', ...[1, 2, 3, 4].map((n) => `block p${n} 107`)],
    ],
    [
      'except who may be tried again',
      {
        line: [{ of: [1, 2], build: 'failure' }],
        waiting: [pr(2, { ownVerdict: 'none' })],
        rules: { maxBisectionAttempts: 0, maxRequeueAttempts: 1, batchSize: 2 },
      },
      ['fail b1', 'requeue p1', 'block p2 107', 'start retry p1 on tip'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('who is blamed with others reads that it was not isolated', () => {
    const decisions = plan(
      situation({ line: [{ of: [1, 2, 3], build: 'failure' }], rules: { maxBisectionAttempts: 0 } }),
      now,
    );
    expect(decisions).toContainEqual(
      expect.objectContaining({
        kind: 'BlockPullRequest',
        pullRequest: 'p2',
        text: 'A required check failed: test. It was tested together with #1, #3: which of them is at fault is unknown.',
      }),
    );
  });
});

describe('a required check that never ran', () => {
  const required = ['test', 'deploy', 'e2e'].map((name) => ({ name, acceptableStatuses: ['success' as const] }));
  const textOf = (from: Situation): string[] =>
    plan(situation(from), now).flatMap((decision) => (decision.kind === 'BlockPullRequest' ? [decision.text] : []));
  test('is said not to have run, in the build', () => {
    expect(textOf({ line: [{ of: [1], build: 'success' }], rules: { requiredChecks: required } })).toEqual([
      'A required check did not run: deploy, e2e.',
    ]);
  });
  test('beside a failed check', () => {
    expect(textOf({ line: [red], rules: { requiredChecks: required } })).toEqual([
      'A required check failed: test. A required check did not run: deploy, e2e.',
    ]);
  });
  test('and on its own head', () => {
    const own = { ownVerdict: 'red' as const, ownFailedChecks: ['deploy'], ownMissingChecks: ['deploy'] };
    expect(textOf({ waiting: [pr(1, own)] })).toEqual(['A required check did not run: deploy.']);
  });
  test('while a build without any checks reads as before', () => {
    expect(textOf({ line: [{ of: [1], build: 'success', buildChange: { checks: [] } }] })).toEqual([
      'A required check failed: no check ran.',
    ]);
  });
});

test('the reset by a failed check names its build, one by a conflict does not', () => {
  const reset = plan(situation({ line: [red, { of: [2], build: 'pending' }], rules: pessimistic }), now);
  expect(reset).toContainEqual(
    expect.objectContaining({
      kind: 'SupersedeBatch',
      batch: 'b2',
      failedBuild: { batch: 'b1', failedChecks: ['test'] },
    }),
  );
  const conflict = plan(
    situation({
      line: [
        { of: [1], build: 'pending' },
        { of: [2], build: 'making' },
      ],
      waiting: [pr(2, { conflict: { parent: 'commit of b1', after: [] } })],
    }),
    now,
  );
  expect(conflict).toContainEqual(expect.objectContaining({ kind: 'SupersedeBatch', code: 301, failedBuild: null }));
});
