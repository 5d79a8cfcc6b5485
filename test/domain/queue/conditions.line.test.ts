// The conditions of a pull request in line: about its queue, its place, its build and its landing.
import { describe, expect, test } from 'vitest';
import { cause, noChecks, shown, type Given } from './condition-lines.ts';
import { building, frozen, opensAt } from './explained.ts';

describe('the queue', () => {
  const preparing = Date.parse('2026-11-02T10:00:00Z');
  const until = Date.parse('2026-11-02T10:00:20Z');
  test.each<[string, Given, readonly string[]]>([
    [
      'is halted',
      {
        pullRequest: { haltedReason: 'A signature is missing.' },
        since: { halted: 4 },
        causes: { halt: cause('queue_halted') },
      },
      [
        '- queue: A signature is missing. (neither halted nor paused, admin, since 4, by queue_halted). The queue is halted: A signature is missing.',
        '  - not_halted: A signature is missing. (not halted, admin, since 4, by queue_halted). The queue is halted: A signature is missing.',
        '  + not_paused: not paused (not paused). The queue is not paused.',
      ],
    ],
    [
      'is paused with its repository',
      { pullRequest: { paused: { message: 'release day', pattern: null } } },
      [
        '- queue: the repository is paused (neither halted nor paused, admin). The queue is paused: release day',
        '  + not_halted: not halted (not halted). The queue is not halted.',
        '  - not_paused: the repository is paused (not paused, admin). The queue is paused: release day',
      ],
    ],
    [
      'is paused by a rule',
      { pullRequest: { paused: { message: null, pattern: 'rel*' } }, causes: { pause: cause('branches_paused') } },
      [
        '- queue: paused by the rule rel* (neither halted nor paused, admin, since 5, by branches_paused). The queue is paused.',
        '  + not_halted: not halted (not halted). The queue is not halted.',
        '  - not_paused: paused by the rule rel* (not paused, admin, since 5, by branches_paused). The queue is paused.',
      ],
    ],
    [
      'waits for the first copy',
      { pullRequest: { preparingSince: preparing, hostWaitUntil: until } },
      [
        '- queue: the repository is being copied (neither halted nor paused, queue, since 1793613600000). Interlock has been copying the repository from its code host since 2026-11-02 10:00 UTC. The first copy of a large repository takes up to half an hour.',
        '  + not_halted: not halted (not halted). The queue is not halted.',
        '  + not_paused: not paused (not paused). The queue is not paused.',
        '  - host_answers: the repository is being copied (a copy of the repository, queue, since 1793613600000). Interlock has been copying the repository from its code host since 2026-11-02 10:00 UTC. The first copy of a large repository takes up to half an hour.',
      ],
    ],
    [
      'waits for its host',
      { pullRequest: { hostWaitUntil: until } },
      [
        '- queue: the code host asks to wait (neither halted nor paused, queue, again at 1793613620000). The code host has asked to wait until 2026-11-02 10:00 UTC.',
        '  + not_halted: not halted (not halted). The queue is not halted.',
        '  + not_paused: not paused (not paused). The queue is not paused.',
        '  - host_answers: the code host asks to wait (the code host takes requests, queue, again at 1793613620000). The code host has asked to wait until 2026-11-02 10:00 UTC.',
      ],
    ],
  ])('%s', (_name, given, expected) => expect(shown('queue', given)).toEqual(expected));
});

describe('the place', () => {
  const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  test.each<[string, Given, readonly string[]]>([
    ['is the first', {}, ['+ place: first in line (first in line). Nothing is before it.']],
    [
      'is behind two',
      { pullRequest: { ahead: 2 }, position: { ahead: 2, before: [4, 5] }, since: { status: 3 } },
      ['- place: 2 before it: #4, #5 (first in line, queue, since 3). 2 pull requests are before it.'],
    ],
    [
      'is behind twelve, and one of them skips the line',
      { pullRequest: { ahead: 12, skippers: [9] }, position: { ahead: 12, before: ten, skippers: [9] } },
      [
        '- place: 12 before it, the nearest: #1, #2, #3, #4, #5, #6, #7, #8, #9, #10; #9 by skip line (first in line, queue). 12 pull requests are before it (#9 skips the line).',
      ],
    ],
    [
      'is behind one after a reorder',
      { pullRequest: { ahead: 1 }, position: { ahead: 1, before: [4], reordered: 'It was moved behind #4.' } },
      ['- place: 1 before it: #4 (first in line, queue). One pull request is before it. It was moved behind #4.'],
    ],
  ])('%s', (_name, given, expected) => expect(shown('place', given)).toEqual(expected));
});

describe('the build', () => {
  const run = {
    ...noChecks,
    checks: [{ name: 'unit', conclusion: 'pending', endedAt: null, summary: null }],
    required: null,
    startedAt: 10,
  } as const;
  test.each<[string, Given, readonly string[]]>([
    ['is missing', {}, ['- build: none (green, queue). It waits for a build; nothing is before it.']],
    [
      'waits for company',
      { pullRequest: { hold: { kind: 'company', until: opensAt } } },
      [
        '- build: none (green, queue, again at 1767600000000). It waits until 2026-01-05 08:00 UTC for other pull requests to share its build.',
      ],
    ],
    [
      'waits for room',
      { pullRequest: { hold: { kind: 'room', builds: 2 } } },
      ['- build: none (green, queue). It waits until fewer than 2 builds run; nothing is before it.'],
    ],
    [
      'is being made',
      { pullRequest: { batch: { ...building, hasCommit: false } } },
      ['- build: being made (green, ci). Its build is being made.'],
    ],
    [
      'runs',
      {
        pullRequest: { batch: building },
        build: run,
        position: { buildUntil: 90 },
        causes: { build: cause('batch_built') },
      },
      [
        '- build: running (green, ci, since 10, by batch_built, again at 90). Its build is running.',
        '  - check unit: running (success or skipped or neutral, ci, since 10). The check unit is running.',
      ],
    ],
    [
      'is red',
      { pullRequest: { batch: { ...building, verdict: 'red' } } },
      ['- build: red (green, queue). Its build failed; the queue finds out whether it is at fault.'],
    ],
    [
      'is green',
      { pullRequest: { batch: { ...building, verdict: 'green' } } },
      ['+ build: green (green). Its build is green.'],
    ],
    [
      'is not needed, because validation is skipped',
      { pullRequest: { batch: { ...building, verdict: 'green', skipsValidation: true } } },
      ['+ build: none (nothing: validation is skipped). Its validation is skipped.'],
    ],
  ])('%s', (_name, given, expected) => expect(shown('build', given)).toEqual(expected));
});

describe('the landing', () => {
  const green = { ...building, verdict: 'green' } as const;
  const nightly = {
    ...frozen,
    freeze: { ...frozen.freeze, span: { cronStart: '0 17 * * *', cronEnd: '0 9 * * *', timezone: 'UTC' } },
  };
  test.each<[string, Given, readonly string[]]>([
    [
      'is free',
      { pullRequest: { batch: green } },
      [
        '+ landing: Nothing else holds it back (merged). Nothing else holds it back.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  + merge_window: open (open). Landings may happen now.',
      ],
    ],
    [
      'is under way',
      { pullRequest: { status: 'tagged', batch: { ...green, landingStarted: true } } },
      [
        '+ landing: It is being merged now (merged). It is being merged now.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  + merge_window: open (open). Landings may happen now.',
      ],
    ],
    [
      'waits for own checks',
      { pullRequest: { ownChecks: { own: true, others: [] } }, position: { ownChecksUntil: 90 } },
      [
        '- landing: running (merged, ci, again at 90). It merges as soon as its own required checks have passed.',
        '  - landing_checks: running (passed, ci, again at 90). It merges as soon as its own required checks have passed.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  + merge_window: open (open). Landings may happen now.',
      ],
    ],
    [
      'is stuck',
      { pullRequest: { ownChecks: { own: true, others: [] } }, causes: { stuck: cause('stuck') } },
      [
        '- landing: stuck (merged, ci, since 5, by stuck). It merges as soon as its own required checks have passed.',
        '  - landing_checks: stuck (passed, ci, since 5, by stuck). It merges as soon as its own required checks have passed.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  + merge_window: open (open). Landings may happen now.',
      ],
    ],
    [
      'waits for the end of a freeze',
      { pullRequest: { frozen }, causes: { freeze: cause('frozen') } },
      [
        '- landing: frozen (merged, queue, since 0, by frozen, again at 1767600000000). Its base branch is frozen until 2026-01-05 08:00 UTC, by ada@example.com: release week.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  - not_frozen: frozen (not frozen, queue, since 0, by frozen, again at 1767600000000). Its base branch is frozen until 2026-01-05 08:00 UTC, by ada@example.com: release week.',
        '  + merge_window: open (open). Landings may happen now.',
      ],
    ],
    [
      'waits for the end of a recurring freeze',
      { pullRequest: { frozen: nightly } },
      [
        '- landing: frozen (merged, queue, again at 1767600000000). Its base branch is frozen until 2026-01-05 08:00 UTC, by ada@example.com: release week.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  - not_frozen: frozen (not frozen, queue, again at 1767600000000). Its base branch is frozen until 2026-01-05 08:00 UTC, by ada@example.com: release week.',
        '  + merge_window: open (open). Landings may happen now.',
      ],
    ],
    [
      'waits for somebody to end a freeze',
      { pullRequest: { frozen: { ...frozen, until: null } } },
      [
        '- landing: frozen (merged, admin, since 0). Its base branch is frozen until somebody ends it, by ada@example.com: release week.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  - not_frozen: frozen (not frozen, admin, since 0). Its base branch is frozen until somebody ends it, by ada@example.com: release week.',
        '  + merge_window: open (open). Landings may happen now.',
      ],
    ],
    [
      'waits for a window',
      { pullRequest: { landingsFrom: opensAt } },
      [
        '- landing: closed (merged, queue, again at 1767600000000). Landings wait for the merge window that opens at 2026-01-05 08:00 UTC.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  - merge_window: closed (open, queue, again at 1767600000000). Landings wait for the merge window that opens at 2026-01-05 08:00 UTC.',
      ],
    ],
    [
      'waits for a window that never opens',
      { pullRequest: { landingsFrom: Infinity } },
      [
        '- landing: closed (merged, queue). Landings wait for a merge window, but no window will open.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  - merge_window: closed (open, queue). Landings wait for a merge window, but no window will open.',
      ],
    ],
    [
      'may be refused by the host',
      { pullRequest: { hostWarning: 'The rules may refuse it.' } },
      [
        '+ landing: Nothing else holds it back (merged). Nothing else holds it back.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  + merge_window: open (open). Landings may happen now.',
        '  + base_rules: the code host may refuse the landing (the code host takes the landing). The rules may refuse it.',
      ],
    ],
    [
      'waits for a final gate',
      { pullRequest: { finalGate: 'smoke' } },
      [
        '- landing: smoke is not passed (merged, ci). It is merged as soon as the final gate smoke is passed.',
        '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
        '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
        '  + merge_window: open (open). Landings may happen now.',
        '  - final_gate: smoke is not passed (passed, ci). It is merged as soon as the final gate smoke is passed.',
      ],
    ],
  ])('%s', (_name, given, expected) => expect(shown('landing', given)).toEqual(expected));
});
