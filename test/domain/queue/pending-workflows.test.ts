// A green build with `wait_for_pending_github_workflows` also waits for checks that nobody requires and that still run.
import { expect, test } from 'vitest';
import type { CheckConclusion } from '../../../src/domain/queue/model/rules.ts';
import type { BuildState } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, planned, type Situation } from './situation.ts';

const required = [{ name: 'test', acceptableStatuses: ['success' as const] }];
const built = (others: CheckConclusion, change: Partial<BuildState> = {}): Situation => ({
  line: [
    {
      of: [1],
      build: 'success',
      buildChange: {
        checks: [
          { name: 'test', attempt: 1, conclusion: 'success' },
          { name: 'docs', attempt: 1, conclusion: others },
        ],
        complete: false,
        finishedAt: null,
        lastEndAt: now - 10 * minute,
        ...change,
      },
    },
  ],
  rules: { requiredChecks: required, waitsForPendingWorkflows: true },
});

test.each<[string, Situation, string[]]>([
  ['a green build waits for a running check', built('pending'), ['look again in 50 min']],
  [
    'a green build does not wait longer than the limit',
    built('pending', { lastEndAt: now - 60 * minute }),
    ['land b1 by commit of b1'],
  ],
  ['a green build lands when the check has ended', built('success'), ['land b1 by commit of b1']],
  [
    'a green build lands when the check has failed, because nobody requires it',
    built('failure'),
    ['land b1 by commit of b1'],
  ],
  [
    'a green build does not wait if the key is off',
    { ...built('pending'), rules: { requiredChecks: required } },
    ['land b1 by commit of b1'],
  ],
  [
    'a green build that waits does not run out of time',
    { ...built('pending'), rules: { ...built('pending').rules, ciTimeoutMins: 1 } },
    ['look again in 50 min'],
  ],
])('%s', (_, from, decisions) => expect(planned(from)).toEqual(decisions));
