// Time limits: for own checks after a green build, and for the first check of a build.
import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import { minute, now, planned, pr, serial, situation, type Situation } from './situation.ts';

const waits = pr(1, { status: 'tagged', ownVerdict: 'pending', queuedAt: now - 20 * minute });
const asked = { change: { readings: [{ commit: 'h1', doneAt: now }] } };
const stuckAfter = (minutes: number | null): Situation => ({
  line: [
    {
      of: [1],
      build: 'success',
      buildChange: { finishedAt: now - 10 * minute, lastEndAt: now - 10 * minute },
    },
  ],
  waiting: [waits],
  rules: { ownRequiredChecks: null, stuckTimeoutMins: minutes },
});
const blocked = ['stuck p1', 'supersede b1 301 by p1', 'block p1 112'];

type Case = readonly [name: string, from: Situation, decisions: readonly string[]];

describe('a landing that waits for own checks', () => {
  test('is stuck although its own build was canceled, if a green build of a later pull request contains it', () => {
    const assumes = [{ pullRequest: 'p1', head: 'h1' }];
    const { rules } = stuckAfter(10);
    const decisions = planned({
      waiting: [waits, pr(2, { status: 'tagged' })],
      line: [
        { of: [1], build: 'cancelled', change: { sideBuild: 'speculative' } },
        {
          of: [2],
          build: 'success',
          change: { sideBuild: 'speculative', assumes },
          buildChange: { finishedAt: now - 10 * minute },
        },
      ],
      rules: { ...rules, speculation: 'adaptive', bypassStuckState: true },
      ...asked,
    });
    expect(decisions).toContain('stuck p1');
  });

  test('of a speculative build counts from the place in the line, if the evidence is older', () => {
    const { rules } = stuckAfter(8);
    const change = { sideBuild: 'speculative' } as const;
    const buildChange = { finishedAt: now - 10 * minute };
    const decisions = planned({
      waiting: [{ ...waits, queuedAt: now - 5 * minute }],
      line: [{ of: [1], build: 'success', change, buildChange }],
      rules: { ...rules, speculation: 'adaptive' },
      ...asked,
    });
    expect(decisions).toEqual(['look again in 3 min']);
  });

  test.each([
    ['during a pause', { paused: true }, []],
    ['before the merge window', { landingsFrom: now + minute }, ['look again in 1 min']],
  ] as const)('is not stuck %s with speculative builds', (_when, queue, decisions) => {
    const speculative: Situation = {
      ...stuckAfter(0),
      ...asked,
      line: [{ of: [1], build: 'success', change: { sideBuild: 'speculative' } }],
      rules: { ...stuckAfter(0).rules, speculation: 'adaptive' },
    };
    expect(planned(speculative)).toContain('block p1 112');
    expect(planned({ ...speculative, queue })).toEqual(decisions);
  });

  const cases: readonly Case[] = [
    ['waits without a limit, if none is set', { ...stuckAfter(null), ...asked }, []],
    ['waits until the limit', stuckAfter(12), ['look again in 2 min']],
    ['asks the host once more at the limit', stuckAfter(10), ['read h1']],
    [
      'waits for the answer of the host',
      { ...stuckAfter(10), change: { readings: [{ commit: 'h1', doneAt: null }] } },
      [],
    ],
    [
      'is stuck if the checks still run: its pull request is notified and blocked',
      { ...stuckAfter(10), ...asked },
      blocked,
    ],
    [
      'is not stuck after an answer from before the limit',
      { ...stuckAfter(10), change: { readings: [{ commit: 'h1', doneAt: now - minute }] } },
      ['read h1'],
    ],
    ['is stuck at once with a limit of zero', { ...stuckAfter(0), ...asked }, blocked],
    [
      'is announced and waited for with bypass_stuck_state',
      { ...stuckAfter(10), ...asked, rules: { ...stuckAfter(10).rules, bypassStuckState: true } },
      ['stuck p1'],
    ],
    [
      'is announced once',
      {
        ...stuckAfter(10),
        ...asked,
        waiting: [{ ...waits, stuckAnnounced: true }],
        rules: { ...stuckAfter(10).rules, bypassStuckState: true },
      },
      [],
    ],
    [
      'counts from the end of the last required check',
      {
        ...stuckAfter(12),
        line: [
          {
            of: [1],
            build: 'success',
            buildChange: { finishedAt: null, lastEndAt: now - 11 * minute, complete: false },
          },
        ],
        rules: { ...stuckAfter(12).rules, requiredChecks: [{ name: 'test', acceptableStatuses: ['success'] }] },
      },
      ['look again in 1 min'],
    ],
    [
      'counts from the place in the line, if the evidence is older',
      {
        ...stuckAfter(8),
        ...asked,
        waiting: [{ ...waits, queuedAt: now - 5 * minute }],
        line: [
          {
            of: [1],
            build: 'success',
            buildChange: { finishedAt: now - 10 * minute },
          },
        ],
      },
      ['look again in 3 min'],
    ],
    ['is not stuck during a pause', { ...stuckAfter(0), ...asked, queue: { paused: true } }, []],
    [
      'is not stuck before the merge window',
      { ...stuckAfter(0), ...asked, queue: { landingsFrom: now + minute } },
      ['look again in 1 min'],
    ],
    [
      'waits without a limit in serial mode, because the build is its own',
      {
        ...stuckAfter(0),
        line: [{ of: [1], build: 'pending' }],
        rules: { ...serial, ownRequiredChecks: null },
      },
      [],
    ],
    [
      'is not stuck if it is second in line',
      {
        ...stuckAfter(0),
        line: [
          { of: [2], build: 'pending' },
          { of: [1], build: 'success' },
        ],
        waiting: [{ ...waits, rank: 3 }],
        change: { readings: [{ commit: 'h1', doneAt: now }] },
      },
      [],
    ],
    [
      'puts the batches on top of it back in line',
      {
        ...stuckAfter(0),
        line: [
          { of: [1, 2], build: 'success' },
          { of: [3], build: 'pending' },
        ],
        change: { readings: [{ commit: 'h1', doneAt: now }] },
      },
      ['stuck p1', 'supersede b1 301 by p1', 'supersede b2 301 by p1', 'block p1 112', 'start new p2 on tip'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('a build without any check', () => {
  const silent = (minutes: number, change: Situation['change'] = {}): Situation => ({
    line: [
      {
        of: [1],
        build: 'pending',
        buildChange: { checks: [] },
        change: { buildStartedAt: now - 5 * minute },
      },
    ],
    rules: { checksStartedTimeoutMins: minutes },
    change,
  });
  const read = (doneAt: number | null) => ({ readings: [{ commit: 'commit of b1', doneAt }] });
  const cases: readonly Case[] = [
    ['waits without a limit, if none is set', silent(0), []],
    ['waits until the limit', silent(8), ['look again in 3 min']],
    ['makes the queue ask the host at the limit', silent(5), ['read commit of b1']],
    ['waits for the answer of the host', silent(5, read(null)), []],
    ['is not ended by an older answer', silent(5, read(now - minute)), ['read commit of b1']],
    ['blocks its pull request after the answer', silent(5, read(now)), ['fail b1', 'block p1 111']],
    [
      'that has started checks has only the limit ci_timeout_mins',
      { ...silent(5, read(now)), line: [{ of: [1], build: 'pending', change: { buildStartedAt: now - 5 * minute } }] },
      [],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('blocks with a text about the missing start', () => {
    expect(plan(situation(silent(5, read(now))), now)).toContainEqual(
      expect.objectContaining({ kind: 'BlockPullRequest', text: 'CI started no check within 5 min.' }),
    );
  });
});
