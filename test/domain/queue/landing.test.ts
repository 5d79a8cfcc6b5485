import { describe, expect, test } from 'vitest';
import { checksOf, hour, minute, now, planned, pr, serial, type BatchSpec, type Situation } from './situation.ts';

const green: BatchSpec = { of: [1], build: 'success' };
const named = [{ name: 'own', acceptableStatuses: ['success'] as const }];
const landB1 = 'land b1 by commit of b1';

describe('the first batch of the line', () => {
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['lands when it is green', { line: [green] }, [landB1]],
    ['does not land while its build runs', { line: [{ of: [1], build: 'pending' }] }, []],
    [
      'does not land when it is second',
      {
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'success' },
        ],
      },
      [],
    ],
    ['lands at once if no own check is awaited', { line: [green], rules: { stuckTimeoutMins: 60 } }, [landB1]],
    ['lands alone', { line: [green, { of: [2], build: 'success' }] }, [landB1]],
    ['does not land twice', { line: [{ ...green, change: { landingPlanned: true } }] }, []],
    [
      'does not land before its merge window opens',
      { line: [green], queue: { landingsFrom: now + 7 * minute } },
      ['look again in 7 min'],
    ],
    ['does not land if no window will open', { line: [green], queue: { landingsFrom: Infinity } }, []],
    ['does not land during a pause', { line: [green], queue: { paused: true } }, []],
    [
      'lands in serial mode by the build of its own head',
      { line: [{ ...green, change: { testedCommit: 'updated head' } }], rules: serial },
      ['land b1 by updated head'],
    ],
    [
      'lands by another build of its tree',
      { line: [{ of: [1], build: 'unstarted' }], change: { builds: [build('elsewhere', {})] } },
      ['land b1 by elsewhere'],
    ],
    [
      'does not land by a build of its tree on an unknown base',
      { line: [{ of: [1], build: 'unstarted' }], change: { builds: [build('elsewhere', { base: 'foreign' })] } },
      [],
    ],
    [
      'does not land by a canceled build',
      {
        line: [{ of: [1], build: 'unstarted' }],
        change: { builds: [build('elsewhere', { checks: checksOf('test:cancelled') })] },
      },
      [],
    ],
    [
      'does not land by a build older than a day',
      {
        line: [{ of: [1], build: 'unstarted' }],
        change: { builds: [build('elsewhere', { finishedAt: now - 25 * hour })] },
      },
      [],
    ],
    [
      'lands although it is red, if a green build of its tree exists',
      {
        line: [{ of: [1], build: 'failure' }],
        change: { builds: [build('commit of b1', { checks: failed }), build('elsewhere', {})] },
      },
      ['land b1 by elsewhere'],
    ],
    [
      'lands without evidence if validation is skipped',
      { line: [{ of: [1], build: 'unstarted' }], waiting: [pr(1, { skipValidation: true })] },
      ['land b1 by nothing'],
    ],
    [
      'lands without evidence in no-queue mode',
      { line: [{ of: [1], build: 'unstarted' }], rules: { mode: 'no-queue' } },
      ['land b1 by nothing'],
    ],
    [
      'does not land while the host shows an older head, although no own check is awaited',
      { line: [green], waiting: [pr(1, { isHeadUnseen: true })] },
      [],
    ],
    [
      'does not land while the host shows an older head, although validation is skipped',
      { line: [{ of: [1], build: 'unstarted' }], waiting: [pr(1, { isHeadUnseen: true, skipValidation: true })] },
      [],
    ],
    [
      'does not land in serial mode while the host shows an older head',
      { line: [green], waiting: [pr(1, { isHeadUnseen: true })], rules: serial },
      [],
    ],
    [
      'does not land in no-queue mode before its own checks have ended',
      {
        line: [{ of: [1], build: 'unstarted' }],
        waiting: [pr(1, { ownVerdict: 'pending' })],
        rules: { mode: 'no-queue', ownRequiredChecks: named },
      },
      [],
    ],
    [
      'does not land before its own required checks have ended',
      {
        line: [green],
        waiting: [pr(1, { ownVerdict: 'pending' })],
        rules: { ownRequiredChecks: named, stuckTimeoutMins: 60 },
      },
      ['look again in 60 min'],
    ],
    [
      'does not land before the own required checks of all its pull requests have ended',
      {
        line: [{ of: [1, 2], build: 'success' }],
        waiting: [pr(2, { status: 'tagged', ownVerdict: 'pending' })],
        rules: { ownRequiredChecks: named },
      },
      [],
    ],
    [
      'does not land in serial mode before checks of the service have ended, which are on its head alone',
      {
        line: [green],
        waiting: [pr(1, { ownVerdict: 'pending' })],
        rules: {
          ...serial,
          ownRequiredChecks: [...named, { name: 'interlock/verify', acceptableStatuses: ['success'] }],
        },
      },
      [],
    ],
    [
      'lands if no own check was seen',
      { line: [green], waiting: [pr(1, { ownVerdict: 'none' })], rules: { ownRequiredChecks: named } },
      [landB1],
    ],
    [
      'lands while own checks run, if none is required',
      { line: [green], waiting: [pr(1, { ownVerdict: 'pending' })], rules: { ownRequiredChecks: [] } },
      [landB1],
    ],
    [
      'lands in serial mode while checks of its old head run',
      { line: [green], waiting: [pr(1, { ownVerdict: 'pending' })], rules: { ...serial, ownRequiredChecks: named } },
      [landB1],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('while a landing runs', () => {
  const started: BatchSpec = { ...green, change: { landingStarted: true, landingPlanned: true } };
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['more batches are built on top of it', { line: [started], waiting: [pr(2)] }, ['start new p2 on b1']],
    [
      'more batches are built on those behind it',
      { line: [started, { of: [2], build: 'pending' }], waiting: [pr(3)] },
      ['start new p3 on b2'],
    ],
    [
      'a batch waits for more pull requests',
      { line: [started], waiting: [pr(2)], rules: { batchSize: 2, batchMaxWaitMinutes: 5 } },
      ['look again in 4 min'],
    ],
    [
      'nothing is built if a pull request behind it has lost the one that it is stacked on',
      { line: [started], waiting: [pr(2, { stack: 'p9', below: 'p9' }), pr(3)] },
      [],
    ],
    [
      'nothing is built beside speculative builds of an earlier mode',
      { line: [started, { of: [2], build: 'pending', change: { sideBuild: 'speculative' } }], waiting: [pr(3)] },
      [],
    ],
    ['no other batch lands', { line: [started, { of: [2], build: 'success' }] }, []],
    ['its members are not blocked', { line: [started], waiting: [pr(1, { ownVerdict: 'red' })] }, []],
    [
      'nothing is reset, and nothing is built on the line',
      { line: [started, { of: [2], build: 'pending' }], waiting: [pr(3), pr(4, { skipLine: true })] },
      [],
    ],
    [
      'a moved base is left to the result of the landing',
      { line: [started], queue: { tip: 'elsewhere', lineage: ['tip', 'elsewhere'] } },
      [],
    ],
    ['a red batch behind it waits', { line: [started, { of: [2], build: 'failure' }] }, []],
    [
      'a member that left does not change it',
      { line: [started], waiting: [pr(2)], change: { departures: [{ pullRequest: 'p1', code: 310 }] } },
      ['start new p2 on b1'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

const failed = [{ name: 'test', attempt: 1, conclusion: 'failure' as const }];

function build(commit: string, change: object) {
  const checks = [{ name: 'test', attempt: 1, conclusion: 'success' as const }];
  return {
    commit,
    tree: 'tree of b1',
    base: 'tip',
    checks,
    complete: true,
    startedAt: now,
    finishedAt: now,
    lastEndAt: now,
    ...change,
  };
}
