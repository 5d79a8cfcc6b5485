// The conditions that must hold before a pull request is merged, as a tree.
import { describe, expect, test } from 'vitest';
import { listConditions } from '../../../src/domain/queue/explain/condition-tree.ts';
import type { Precondition } from '../../../src/domain/queue/requests/admission.ts';
import { cause, facts, lines, shown, type Given } from './condition-lines.ts';

const inLine = [
  '+ asked: requested (requested, since 3, by queued). Somebody asked to merge it.',
  '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
  '+ queue: The queue is neither halted nor paused (neither halted nor paused). The queue is neither halted nor paused.',
  '  + not_halted: not halted (not halted). The queue is not halted.',
  '  + not_paused: not paused (not paused). The queue is not paused.',
  '+ place: first in line (first in line, since 3). Nothing is before it.',
  '- build: none (green, queue). It waits for a build; nothing is before it.',
  '+ landing: Nothing else holds it back (merged). Nothing else holds it back.',
  '  + landing_checks: passed (passed). Its own required checks do not hold it back.',
  '  + not_frozen: not frozen (not frozen). Its base branch is not frozen.',
  '  + merge_window: open (open). Landings may happen now.',
];

describe('the conditions of a pull request that is', () => {
  test.each<[string, Given, readonly string[]]>([
    ['merged', { pullRequest: { status: 'merged' } }, []],
    [
      'closed',
      { pullRequest: { status: 'closed' } },
      [
        '- open: closed (open, author, since 3, by queued). It is closed: reopen it to merge it. If its head branch was deleted, push the branch again first.',
      ],
    ],
    [
      'open',
      { pullRequest: { status: 'open' } },
      [
        '- asked: not requested (requested, author, since 3, by queued). Nobody has asked to merge it.',
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
      ],
    ],
    [
      'blocked',
      { pullRequest: { status: 'blocked', code: 107, text: 'A required check failed: unit.' } },
      [
        '- asked: blocked (requested again, author, since 3, by queued). A required check failed: unit.',
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
      ],
    ],
    [
      'pending',
      { pullRequest: { status: 'pending', text: 'It has 0 of 1 required approvals.' } },
      [
        '+ asked: requested (requested, since 3, by queued). Somebody asked to merge it.',
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
      ],
    ],
    [
      'in line, without a known position',
      { position: null },
      [
        '+ asked: requested (requested, since 3, by queued). Somebody asked to merge it.',
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
        '+ queue: The queue is neither halted nor paused (neither halted nor paused). The queue is neither halted nor paused.',
        '  + not_halted: not halted (not halted). The queue is not halted.',
        '  + not_paused: not paused (not paused). The queue is not paused.',
      ],
    ],
    ['in line', {}, inLine],
    ['tagged', { pullRequest: { status: 'tagged' } }, inLine],
  ])('%s', (_name, given, expected) => {
    const { since, causes } = { since: { status: 3 }, causes: { status: cause('queued') } };
    expect(lines(listConditions(facts({ ...given, since, causes })))).toEqual(expected);
  });
});

describe('the preconditions', () => {
  const met = (kind: Precondition['kind'], observed: string): Precondition => ({
    kind,
    observed,
    needed: observed,
    who: 'author',
    obstacle: null,
  });
  const ownChecks = (observed: string, needed: string): Precondition => ({ ...met('own_checks', observed), needed });
  test.each<[string, Given, readonly string[]]>([
    [
      'hold',
      { preconditions: [met('draft', 'ready for review'), met('own_checks', 'passed')] },
      [
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
        '  + draft: ready for review (ready for review). Its state: ready for review.',
        '  + own_checks: passed (passed). Its own required checks: passed.',
      ],
    ],
    [
      'hold while own checks run that may run',
      { preconditions: [ownChecks('running', 'not failed')] },
      [
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
        '  + own_checks: running (not failed). Its own required checks: running. Needed before it is in line: not failed.',
      ],
    ],
    [
      'do not hold if one does not, and have its facts',
      {
        preconditions: [
          met('draft', 'ready for review'),
          {
            kind: 'approvals',
            observed: '0',
            needed: '1',
            who: 'reviewer',
            obstacle: { code: 101, text: 'It has 0 of 1 required approvals.', who: 'reviewer', names: [] },
          },
        ],
        since: { preconditions: { approvals: 7 } },
      },
      [
        '- preconditions: 0 (all hold, reviewer, since 7). It has 0 of 1 required approvals.',
        '  + draft: ready for review (ready for review). Its state: ready for review.',
        '  - approvals: 0 (1, reviewer, since 7). It has 0 of 1 required approvals.',
      ],
    ],
    [
      'have a part for each validation',
      {
        validations: ['ticket', 'size'],
        preconditions: [
          {
            kind: 'validations',
            observed: 'not met: size',
            needed: 'met',
            who: 'author',
            obstacle: { code: 108, text: 'A validation failed: size.', who: 'author', names: ['size'] },
          },
        ],
        since: { preconditions: { validations: 8 } },
      },
      [
        '- preconditions: not met: size (all hold, author, since 8). A validation failed: size.',
        '  - validations: not met: size (met, author, since 8). A validation failed: size.',
        '    + validation ticket: met (met, since 8). The validation ticket is met.',
        '    - validation size: not met (met, author, since 8). The validation size is not met.',
      ],
    ],
    [
      'have a part for each own check that counts',
      {
        preconditions: [met('own_checks', 'passed')],
        own: {
          checks: [
            { name: 'unit', conclusion: 'success', endedAt: 11, summary: 'All is well.' },
            { name: 'lint', conclusion: 'pending', endedAt: null, summary: null },
            { name: 'docs', conclusion: 'success', endedAt: 12, summary: null },
            { name: 'e2e-a', conclusion: 'action_required', endedAt: 13, summary: 'Approve it.' },
            { name: 'e2e-b', conclusion: 'skipped', endedAt: 14, summary: null },
          ],
          required: [
            { name: 'unit', acceptableStatuses: ['success'] },
            { name: 'lint', acceptableStatuses: ['success', 'neutral'] },
            { name: 'e2e-*', acceptableStatuses: ['success', 'skipped'] },
            { name: 'build', acceptableStatuses: ['success'] },
          ],
          startedAt: 10,
        },
      },
      [
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
        '  + own_checks: passed (passed). Its own required checks: passed.',
        '    + check unit: success (success, since 11). The check unit ended: success.',
        '    - check lint: running (success or neutral, ci, since 10). The check lint is running.',
        '    - check e2e-a: action_required (success or skipped, author, since 13). The check e2e-a ended: action_required. Approve it.',
        '    + check e2e-b: skipped (success or skipped, since 14). The check e2e-b ended: skipped.',
        '    - check build: not seen (success, ci). The check build has not been seen.',
      ],
    ],
    [
      'have a part for each own check that ran, if every check counts',
      {
        preconditions: [met('own_checks', 'passed')],
        own: {
          checks: [
            { name: 'unit', conclusion: 'neutral', endedAt: 11, summary: null },
            { name: 'lint', conclusion: 'action_required', endedAt: 12, summary: null },
          ],
          required: null,
          startedAt: 10,
        },
      },
      [
        '+ preconditions: Its preconditions hold (all hold). Its preconditions hold.',
        '  + own_checks: passed (passed). Its own required checks: passed.',
        '    + check unit: neutral (success or skipped or neutral, since 11). The check unit ended: neutral.',
        '    - check lint: action_required (success or skipped or neutral, author, since 12). The check lint ended: action_required.',
      ],
    ],
  ])('%s', (_name, given, expected) => expect(shown('preconditions', given)).toEqual(expected));
});
