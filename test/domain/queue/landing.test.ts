import { describe, expect, test } from 'vitest';
import { hour, minute, now, planned, pr, serial, type BatchSpec, type Situation } from './situation.ts';

const green: BatchSpec = { of: [1], build: 'success' };
const named = [{ name: 'own', acceptableStatuses: ['success'] as const }];
const landB1 = 'land b1 by commit of b1';

describe('the first batch of the line lands', () => {
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['when it is green', { line: [green] }, [landB1]],
    ['not while its build runs', { line: [{ of: [1], build: 'pending' }] }, []],
    [
      'not when it is second',
      {
        line: [
          { of: [1], build: 'pending' },
          { of: [2], build: 'success' },
        ],
      },
      [],
    ],
    ['one at a time', { line: [green, { of: [2], build: 'success' }] }, [landB1]],
    ['not twice', { line: [{ ...green, change: { landingPlanned: true } }] }, []],
    [
      'not before its merge window opens',
      { line: [green], queue: { landingsFrom: now + 7 * minute } },
      ['look again in 7 min'],
    ],
    ['nor when none ever will', { line: [green], queue: { landingsFrom: Infinity } }, []],
    ['not while paused', { line: [green], queue: { paused: true } }, []],
    [
      'in serial mode by the build of its own head',
      { line: [{ ...green, change: { testedCommit: 'updated head' } }], rules: serial },
      ['land b1 by updated head'],
    ],
    [
      'by the evidence of another build of its tree',
      { line: [{ of: [1], build: 'unstarted' }], change: { builds: [build('elsewhere', {})] } },
      ['land b1 by elsewhere'],
    ],
    [
      'not by a build of its tree that stood on a base we do not know',
      { line: [{ of: [1], build: 'unstarted' }], change: { builds: [build('elsewhere', { base: 'foreign' })] } },
      [],
    ],
    [
      'not by a canceled one',
      { line: [{ of: [1], build: 'unstarted' }], change: { builds: [build('elsewhere', { canceled: true })] } },
      [],
    ],
    [
      'not by one older than a day',
      {
        line: [{ of: [1], build: 'unstarted' }],
        change: { builds: [build('elsewhere', { finishedAt: now - 25 * hour })] },
      },
      [],
    ],
    [
      'though red, when a green build of its tree exists',
      {
        line: [{ of: [1], build: 'failure' }],
        change: { builds: [build('commit of b1', { checks: failed }), build('elsewhere', {})] },
      },
      ['land b1 by elsewhere'],
    ],
    [
      'without evidence when validation is skipped',
      { line: [{ of: [1], build: 'unstarted' }], waiting: [pr(1, { skipValidation: true })] },
      ['land b1 by nothing'],
    ],
    [
      'without evidence in no-queue mode',
      { line: [{ of: [1], build: 'unstarted' }], rules: { mode: 'no-queue' } },
      ['land b1 by nothing'],
    ],
    [
      'in no-queue mode not before its own checks are done',
      {
        line: [{ of: [1], build: 'unstarted' }],
        waiting: [pr(1, { ownVerdict: 'pending' })],
        rules: { mode: 'no-queue', ownRequiredChecks: named },
      },
      [],
    ],
    [
      'not before its own required checks are done',
      {
        line: [green],
        waiting: [pr(1, { ownVerdict: 'pending' })],
        rules: { ownRequiredChecks: named, stuckTimeoutMins: 60 },
      },
      ['look again in 60 min'],
    ],
    [
      'when no check of its own has been seen',
      { line: [green], waiting: [pr(1, { ownVerdict: 'none' })], rules: { ownRequiredChecks: named } },
      [landB1],
    ],
    [
      'whatever runs on its head, when nothing is required there',
      { line: [green], waiting: [pr(1, { ownVerdict: 'pending' })], rules: { ownRequiredChecks: [] } },
      [landB1],
    ],
    [
      'in serial mode whatever runs on its old head',
      { line: [green], waiting: [pr(1, { ownVerdict: 'pending' })], rules: { ...serial, ownRequiredChecks: named } },
      [landB1],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('while a landing is started', () => {
  const started: BatchSpec = { ...green, change: { landingStarted: true, landingPlanned: true } };
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['more is built on top of it', { line: [started], waiting: [pr(2)] }, ['start new p2 on b1']],
    ['no other lands', { line: [started, { of: [2], build: 'success' }] }, []],
    ['its members are not blamed', { line: [started], waiting: [pr(1, { ownVerdict: 'red' })] }, []],
    [
      'nothing is reset, and nothing is built on a line that will be',
      { line: [started, { of: [2], build: 'pending' }], waiting: [pr(3), pr(4, { skipLine: true })] },
      [],
    ],
    [
      'a base that moved is left to its outcome',
      { line: [started], queue: { tip: 'elsewhere', lineage: ['tip', 'elsewhere'] } },
      [],
    ],
    ['a red batch behind it waits', { line: [started, { of: [2], build: 'failure' }] }, []],
    [
      'a member that left does not unsettle it',
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
    canceled: false,
    startedAt: now,
    finishedAt: now,
    lastEndAt: now,
    ...change,
  };
}
