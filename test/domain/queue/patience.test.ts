// How long things may take: own checks after a green build, and a build until its first check.
import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import { minute, now, planned, pr, serial, situation, type Situation } from './situation.ts';

const waits = pr(1, { status: 'tagged', ownVerdict: 'pending' });
const asked = { change: { readings: [{ commit: 'h1', doneAt: now }] } };
const stuckAfter = (minutes: number | null): Situation => ({
  line: [{ of: [1], build: 'success', buildChange: { finishedAt: now - 10 * minute, lastEndAt: now - 10 * minute } }],
  waiting: [waits],
  rules: { ownRequiredChecks: null, stuckTimeoutMins: minutes },
});
const blocked = ['stuck p1', 'supersede b1 301 by p1', 'block p1 112'];

type Case = readonly [name: string, from: Situation, decisions: readonly string[]];

describe('a landing that waits for own checks', () => {
  test('is stuck though its own build was canceled, where a green one of another behind it holds it', () => {
    const assumes = [{ pullRequest: 'p1', head: 'h1' }];
    const { rules } = stuckAfter(10);
    const decisions = planned({
      waiting: [waits, pr(2, { status: 'tagged' })],
      line: [
        { of: [1], build: 'cancelled', change: { sideBuild: 'speculative' }, buildChange: { canceled: true } },
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

  const cases: readonly Case[] = [
    ['waits without an end where none is said', { ...stuckAfter(null), ...asked }, []],
    ['waits as long as it may', stuckAfter(12), ['look again in 2 min']],
    ['asks the host once more when its time is over', stuckAfter(10), ['read h1']],
    ['and waits for the answer', { ...stuckAfter(10), change: { readings: [{ commit: 'h1', doneAt: null }] } }, []],
    [
      'is stuck when they still run: its pull request is notified, and blocked',
      { ...stuckAfter(10), ...asked },
      blocked,
    ],
    [
      'is not stuck by an answer from before',
      { ...stuckAfter(10), change: { readings: [{ commit: 'h1', doneAt: now - minute }] } },
      ['read h1'],
    ],
    ['is stuck at once where nothing is waited for', { ...stuckAfter(0), ...asked }, blocked],
    [
      'is announced and waited for where that state is bypassed',
      { ...stuckAfter(10), ...asked, rules: { ...stuckAfter(10).rules, bypassStuckState: true } },
      ['stuck p1'],
    ],
    [
      'and announced once',
      {
        ...stuckAfter(10),
        ...asked,
        waiting: [{ ...waits, stuckAnnounced: true }],
        rules: { ...stuckAfter(10).rules, bypassStuckState: true },
      },
      [],
    ],
    [
      'counts from the end of the last check while others that nobody requires run on',
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
      'is not judged while it is not what it waits for: paused',
      { ...stuckAfter(0), ...asked, queue: { paused: true } },
      [],
    ],
    [
      'nor before the merge window',
      { ...stuckAfter(0), ...asked, queue: { landingsFrom: now + minute } },
      ['look again in 1 min'],
    ],
    [
      'is waited for in serial mode and without an end: the build is its own',
      {
        ...stuckAfter(0),
        line: [{ of: [1], build: 'pending' }],
        rules: { ...serial, ownRequiredChecks: null },
      },
      [],
    ],
    [
      'is nobody else: the second in line is not stuck',
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
      'takes those on top of it back in line',
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
    ['is waited for without an end where that is off', silent(0), []],
    ['is waited for as long as it may stay so', silent(8), ['look again in 3 min']],
    ['then the host is asked', silent(5), ['read commit of b1']],
    ['and its answer waited for', silent(5, read(null)), []],
    ['an older answer does not count', silent(5, read(now - minute)), ['read commit of b1']],
    ['before the pull request is blocked', silent(5, read(now)), ['fail b1', 'block p1 111']],
    [
      'a build that has started is left to ci_timeout_mins',
      { ...silent(5, read(now)), line: [{ of: [1], build: 'pending', change: { buildStartedAt: now - 5 * minute } }] },
      [],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));

  test('says so', () => {
    expect(plan(situation(silent(5, read(now))), now)).toContainEqual(
      expect.objectContaining({ kind: 'BlockPullRequest', text: 'CI started no check within 5 min.' }),
    );
  });
});
