// A green build that also waits for what nobody requires and still runs on its commit.
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
  ['waits for what runs', built('pending'), ['look again in 50 min']],
  ['not without an end', built('pending', { lastEndAt: now - 60 * minute }), ['land b1 by commit of b1']],
  ['lands when it has ended', built('success'), ['land b1 by commit of b1']],
  ['whatever it says: nobody requires it', built('failure'), ['land b1 by commit of b1']],
  [
    'waits for nothing where that is off',
    { ...built('pending'), rules: { requiredChecks: required } },
    ['land b1 by commit of b1'],
  ],
  [
    'is not out of time meanwhile: it has all it needs',
    { ...built('pending'), rules: { ...built('pending').rules, ciTimeoutMins: 1 } },
    ['look again in 50 min'],
  ],
])('%s', (_, from, decisions) => expect(planned(from)).toEqual(decisions));
