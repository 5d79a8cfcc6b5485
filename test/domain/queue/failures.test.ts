import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import type { BuildState } from '../../../src/domain/queue/model/snapshot.ts';
import {
  checksOf,
  minute,
  now,
  planned,
  pr,
  requiredChecks,
  serial,
  situation,
  type BatchSpec,
  type Situation,
} from './situation.ts';

const red: BatchSpec = { of: [1], build: 'failure' };
const pessimistic = { useOptimisticValidation: false };

/** A canceled build of the tree of the first batch. */
function canceledBuild(commit: string): BuildState {
  const checks = checksOf('test:cancelled');
  const at = { startedAt: now - minute, finishedAt: now, lastEndAt: now };
  return { commit, tree: 'tree of b1', base: 'tip', checks, complete: true, ...at };
}

describe('a red batch on the tip', () => {
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['of one pull request fails, and blocks the pull request', { line: [red] }, ['fail b1', 'block p1 107']],
    [
      'resets the batches behind it',
      { line: [red, { of: [2], build: 'pending' }], rules: pessimistic },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'of several pull requests is bisected',
      { line: [{ of: [1, 2, 3], build: 'failure' }] },
      ['bisect b1 p1+p2 | p3', 'start bisect p1 on tip'],
    ],
    [
      'is bisected by halves',
      { line: [{ of: [1, 2, 3], build: 'failure' }], rules: { batchSize: 4 } },
      ['bisect b1 p1+p2 | p3', 'start bisect p1 p2 on tip'],
    ],
    [
      'is bisected during a pause, and starts nothing',
      { line: [{ of: [1, 2], build: 'failure' }], queue: { paused: true } },
      ['bisect b1 p1 | p2'],
    ],
    [
      'returns its pull request to the line while attempts are left',
      { line: [red], rules: { maxRequeueAttempts: 1 } },
      ['fail b1', 'requeue p1', 'start retry p1 on tip'],
    ],
    [
      'does not return its pull request after the last attempt',
      { line: [red], waiting: [pr(1, { requeueAttempts: 1 })], rules: { maxRequeueAttempts: 1 } },
      ['fail b1', 'block p1 107'],
    ],
    [
      'does not return its pull request if an own check is not green',
      { line: [red], waiting: [pr(1, { ownVerdict: 'none' })], rules: { maxRequeueAttempts: 1 } },
      ['fail b1', 'block p1 107'],
    ],
    [
      'is red if it has no checks',
      { line: [{ of: [1], build: 'success', buildChange: { checks: [] } }] },
      ['fail b1', 'block p1 107'],
    ],
    [
      'fails as soon as it can no longer be green',
      { line: [{ of: [1], build: 'failure', buildChange: { complete: false, finishedAt: null } }] },
      ['fail b1', 'block p1 107'],
    ],
    [
      'whose build was canceled is built again',
      { line: [{ of: [1], build: 'cancelled' }] },
      ['supersede b1 309', 'start new p1 on tip'],
    ],
    [
      'fails if another check failed and the others were canceled because of it',
      {
        line: [{ of: [1], build: 'failure', buildChange: { checks: checksOf('test:failure lint:cancelled') } }],
        rules: { requiredChecks: requiredChecks('test', 'lint') },
      },
      ['fail b1', 'block p1 107'],
    ],
    [
      'fails if its build was canceled, like the build of its tree before it',
      {
        line: [{ of: [1], build: 'cancelled' }],
        change: { builds: [canceledBuild('commit of b1'), canceledBuild('earlier')] },
      },
      ['fail b1', 'block p1 107'],
    ],
    [
      'fails if its check was canceled twice',
      {
        line: [{ of: [1], build: 'cancelled', buildChange: { checks: checksOf('test:cancelled test#2:cancelled') } }],
      },
      ['fail b1', 'block p1 107'],
    ],
    [
      'lands although a check that is not required was canceled',
      {
        line: [{ of: [1], build: 'success', buildChange: { checks: checksOf('test:success docs:cancelled') } }],
        rules: { requiredChecks: requiredChecks('test') },
      },
      ['land b1 by commit of b1'],
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

  test('a red batch behind others waits for those before it', () => {
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

describe('the bisection of a batch', () => {
  const both: BatchSpec = { of: [1, 2], build: 'failure' };
  const stopped = { state: 'failed', plannedAt: now, reason: null } as const;
  const closed: BatchSpec = {
    of: [1, 2],
    build: 'success',
    change: { gates: [{ workflow: 'smoke', timeoutMins: 5, run: stopped }] },
  };
  const parallel = { useParallelBisection: true };
  const again = [1, 2].map((n) => pr(n, { bisection: { group: 'gate:b0', max: 2, attempts: 1, phase: 'in_place' } }));
  test.each<[string, Situation, object]>([
    ['is in line', { line: [both] }, { group: 'b1', attempts: 1, phase: 'in_place' }],
    [
      'is beside the line, if that is configured',
      { line: [both], rules: parallel },
      { group: 'b1', phase: 'side_build' },
    ],
    [
      'is in line if a pull request is in a stack',
      { line: [both], rules: parallel, waiting: [pr(2, { stack: 'p1', below: 'p1' })] },
      { group: 'b1', phase: 'in_place' },
    ],
    [
      'is in line if a final gate stopped the batch',
      { line: [closed], rules: parallel },
      { group: 'gate:b1', phase: 'in_place' },
    ],
    [
      'stays in line if a final gate stopped the batch that it was a part of',
      { line: [both], rules: parallel, waiting: again },
      { group: 'gate:b1', attempts: 2, phase: 'in_place' },
    ],
  ])('%s', (_name, from, expected) => {
    expect(plan(situation(from), now)).toContainEqual(expect.objectContaining({ kind: 'BisectBatch', ...expected }));
  });
});

/** Pull requests from #1 on that are alone after bisections of these groups. */
function ofGroups(...groups: readonly string[]) {
  return groups.map((group, at) => pr(at + 1, { bisection: { group, max: 1, attempts: 1, phase: 'in_place' } }));
}

describe('optimistic validation', () => {
  const pass = ['supersede b1 301 by p1', 'supersede b2 301 by p1', 'start optimistic p1 p2 on tip'];
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    [
      'a later green build passes the red one, and both are built as one batch on the tip',
      { line: [red, { of: [2], build: 'success' }] },
      pass,
    ],
    ['a later pending build is waited for', { line: [red, { of: [2], build: 'pending' }] }, []],
    ['a later build that is being made is waited for', { line: [red, { of: [2], build: 'making' }] }, []],
    [
      'two red builds are too many for a failure depth of 1',
      { line: [red, { of: [2], build: 'failure' }, { of: [3], build: 'success' }] },
      ['fail b1', 'supersede b2 301 by p1', 'supersede b3 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'two red builds are allowed with a failure depth of 2',
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
      'a later green build counts although a pending one is before it',
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
      'batches behind the green build are reset',
      { line: [red, { of: [2], build: 'success' }, { of: [3], build: 'pending' }] },
      ['supersede b1 301 by p1', 'supersede b2 301 by p1', 'supersede b3 301 by p1', 'start optimistic p1 p2 on tip'],
    ],
    [
      'during a pause, the pass is delayed',
      { line: [red, { of: [2], build: 'success' }], queue: { paused: true } },
      [],
    ],
    [
      'skipped validation is no evidence',
      { line: [red, { of: [2], build: 'unstarted' }], waiting: [pr(2, { skipValidation: true })] },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'a pull request between them that is not in a batch stops the pass',
      {
        line: [red, { of: [3], build: 'success' }],
        waiting: [pr(2, { conflict: { parent: 'commit of b1', after: [] } })],
      },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'halves that were red together are not built together again',
      {
        line: [red, { of: [2], build: 'success' }],
        waiting: ofGroups('g', 'g'),
      },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start bisect p2 on tip'],
    ],
    [
      'halves that were red together are not built together again, whatever is behind them',
      {
        line: [red, { of: [2], build: 'success' }, { of: [3], build: 'pending' }],
        waiting: ofGroups('g', 'g'),
      },
      ['fail b1', 'supersede b2 301 by p1', 'supersede b3 301 by p1', 'block p1 107', 'start bisect p2 on tip'],
    ],
    [
      'halves of two batches are built together',
      { line: [red, { of: [2], build: 'success' }], waiting: ofGroups('g', 'h') },
      pass,
    ],
    [
      'a part of a batch that a final gate stopped is not passed, because the later build has not passed the gate',
      { line: [red, { of: [2], build: 'success' }], waiting: ofGroups('gate:b0') },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 107', 'start new p2 on tip'],
    ],
    [
      'if it is off, the red batch fails at once',
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
    [
      'a build that runs longer fails, and its pull request is blocked with 111',
      { line: [slow], rules: limit },
      ['fail b1', 'block p1 111'],
    ],
    [
      'a build that runs longer is not tried again',
      { line: [slow], rules: { ...limit, maxRequeueAttempts: 3 } },
      ['fail b1', 'block p1 111'],
    ],
    [
      'a build of several is bisected',
      { line: [{ ...slow, of: [1, 2] }], rules: limit },
      ['bisect b1 p1 | p2', 'start bisect p1 on tip'],
    ],
    [
      'a shorter build is looked at again at its deadline',
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
    ['without a limit, a build may run for ever', { line: [slow] }, []],
    ['a build that has not started has no deadline', { line: [{ of: [1], build: 'unstarted' }], rules: limit }, []],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('a failed own check', () => {
  const ownRed = { ownVerdict: 'red', ownFailedChecks: ['own'] } as const;
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['blocks its pull request before it has a batch', { waiting: [pr(1, ownRed)] }, ['block p1 107']],
    [
      'resets its batch and the batches behind it',
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
      'blocks its pull request although its build is green',
      { line: [{ of: [1], build: 'success' }], waiting: [pr(1, ownRed)] },
      ['supersede b1 301 by p1', 'block p1 107'],
    ],
    [
      'does not matter if validation is skipped',
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

describe('bisection with limits', () => {
  const four: BatchSpec = { of: [1, 2, 3, 4], build: 'failure' };
  const bisected = (...numbers: number[]) =>
    numbers.map((n) => pr(n, { status: 'tagged', bisection: { group: 'g', max: 2, attempts: 1, phase: 'in_place' } }));
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    [
      'cuts into small parts, if the size of parts is limited',
      { line: [four], rules: { batchSize: 4, maxBisectedBatchSize: 1 } },
      ['bisect b1 p1 | p2 | p3 | p4', 'start bisect p1 on tip'],
    ],
    [
      'never cuts into parts larger than halves',
      { line: [four], rules: { batchSize: 4, maxBisectedBatchSize: 3 } },
      ['bisect b1 p1+p2 | p3+p4', 'start bisect p1 p2 on tip'],
    ],
    [
      'goes on while attempts are left',
      { line: [{ of: [1, 2], build: 'failure' }], waiting: bisected(1, 2), rules: { maxBisectionAttempts: 2 } },
      ['bisect b1 p1 | p2', 'start bisect p1 on tip'],
    ],
    [
      'blocks the rest after the last attempt',
      { line: [{ of: [1, 2], build: 'failure' }], waiting: bisected(1, 2), rules: { maxBisectionAttempts: 1 } },
      ['fail b1', 'block p1 107', 'block p2 107'],
    ],
    [
      'blocks all at once without attempts',
      { line: [four], rules: { maxBisectionAttempts: 0 } },
      ['fail b1', ...[1, 2, 3, 4].map((n) => `block p${n} 107`)],
    ],
    [
      'requeues pull requests that may be tried again',
      {
        line: [{ of: [1, 2], build: 'failure' }],
        waiting: [pr(2, { ownVerdict: 'none' })],
        rules: { maxBisectionAttempts: 0, maxRequeueAttempts: 1, batchSize: 2 },
      },
      ['fail b1', 'requeue p1', 'block p2 107', 'start retry p1 on tip'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('names the others in the text, if it did not isolate the failing pull request', () => {
    const decisions = plan(
      situation({ line: [{ of: [1, 2, 3], build: 'failure' }], rules: { maxBisectionAttempts: 0 } }),
      now,
    );
    expect(decisions).toContainEqual(
      expect.objectContaining({
        kind: 'BlockPullRequest',
        pullRequest: 'p2',
        text: 'A required check failed: test. It was tested together with #1, #3. It is not known which pull request is at fault.',
      }),
    );
  });
});

describe('a required check that never ran', () => {
  const required = ['test', 'deploy', 'e2e'].map((name) => ({ name, acceptableStatuses: ['success' as const] }));
  const textOf = (from: Situation): string[] =>
    plan(situation(from), now).flatMap((decision) => (decision.kind === 'BlockPullRequest' ? [decision.text] : []));
  test('is named in the text, for a build', () => {
    expect(textOf({ line: [{ of: [1], build: 'success' }], rules: { requiredChecks: required } })).toEqual([
      'A required check did not run: deploy, e2e.',
    ]);
  });
  test('is named beside a failed check', () => {
    expect(textOf({ line: [red], rules: { requiredChecks: required } })).toEqual([
      'A required check failed: test. A required check did not run: deploy, e2e.',
    ]);
  });
  test('is named for an own head', () => {
    const own = { ownVerdict: 'red' as const, ownFailedChecks: ['deploy'], ownMissingChecks: ['deploy'] };
    expect(textOf({ waiting: [pr(1, own)] })).toEqual(['A required check did not run: deploy.']);
  });
  test('is not named for a build without any checks', () => {
    expect(textOf({ line: [{ of: [1], build: 'success', buildChange: { checks: [] } }] })).toEqual([
      'A required check failed: no check ran.',
    ]);
  });
});

test('the reset after a failed check names the build, and the reset after a conflict does not', () => {
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
