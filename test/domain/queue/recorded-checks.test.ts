import { describe, expect, it } from 'vitest';
import {
  hasNews,
  provingResults,
  runsAgain,
  withLastingAttempts,
  type RecordedChecks,
} from '../../../src/domain/queue/evidence/recorded-checks.ts';
import type { CheckConclusion } from '../../../src/domain/queue/model/rules.ts';

const checks = (...conclusions: string[]): RecordedChecks => ({
  complete: false,
  canceled: false,
  checks: conclusions.map((conclusion, index) => ({ name: 'test', attempt: index + 1, conclusion })),
});

it.each<[string, boolean, RecordedChecks, RecordedChecks]>([
  ['no checks, like before', false, checks(), checks()],
  ['a check that has started', true, checks('pending'), checks()],
  ['the same checks again', false, checks('success'), checks('success')],
  ['an end', true, checks('success'), checks('pending')],
  ['an end that changed', true, checks('failure'), checks('success')],
  ['a running check that has ended already', false, checks('pending'), checks('success')],
  ['another attempt', true, checks('failure', 'pending'), checks('failure')],
  ['fewer attempts than stored', false, checks('failure'), checks('failure', 'pending')],
  ['the news that no check will follow', true, { ...checks('success'), complete: true }, checks('success')],
  ['fewer checks than a complete list', false, checks('success'), { ...checks('success'), complete: true }],
  ['the news that it was canceled', true, { ...checks(), canceled: true }, checks()],
  [
    'a check of Interlock',
    false,
    { ...checks(), checks: [{ name: 'interlock/verify', attempt: 1, conclusion: 'failure' }] },
    checks(),
  ],
  [
    'an attempt of another check',
    true,
    { ...checks(), checks: [{ name: 'lint', attempt: 1, conclusion: 'pending' }] },
    checks('success'),
  ],
])('a report with %s has news: %s', (_what, isNews, report, kept) => {
  expect(hasNews(report, kept)).toBe(isNews);
});

describe('a pending result of a proof', () => {
  const results = [
    { name: 'slow', attempt: 1, conclusion: 'pending' as const },
    { name: 'test', attempt: 1, conclusion: 'success' as const },
  ];
  const required = (name: string, ...acceptableStatuses: CheckConclusion[]) => [{ name, acceptableStatuses }];
  it.each([
    ['need not be on record if its check is not required', required('test', 'success'), ['test']],
    ['must be on record if its check is required', required('slow', 'success'), ['slow', 'test']],
    ['must be on record if a glob requires its check', required('sl*', 'success'), ['slow', 'test']],
    ['must be on record if every check is required', null, ['slow', 'test']],
    ['need not be on record if the check may be pending', required('slow', 'success', 'pending'), ['test']],
  ])('%s', (_which, gate, names) => {
    expect(provingResults(results, gate).map(({ name }) => name)).toEqual(names);
  });
});

describe('the attempt of a check', () => {
  const check = (attempt: number, newestRun: number | null, name = 'test') => ({
    name,
    attempt,
    conclusion: 'failure',
    newestRun,
  });
  const pending = (attempt: number, newestRun: number | null) => ({
    ...check(attempt, newestRun),
    conclusion: 'pending',
  });
  it.each([
    { what: 'is the number of its runs', reported: check(2, 20), recorded: [check(1, 10)], attempt: 2 },
    { what: 'is new after earlier runs were deleted', reported: check(1, 30), recorded: [check(2, 20)], attempt: 3 },
    { what: 'stays if earlier runs are deleted', reported: check(1, 20), recorded: [check(2, 20)], attempt: 2 },
    {
      what: 'increases with a status after earlier runs were deleted',
      reported: check(4, 30),
      recorded: [check(3, 30)],
      attempt: 4,
    },
    { what: 'is that of an outdated report', reported: check(1, 10), recorded: [check(2, 20)], attempt: 1 },
    { what: 'is that of an earlier run', reported: check(1, 10), recorded: [check(1, 10), check(2, 20)], attempt: 1 },
    {
      what: 'increases with an older run that is seen late',
      reported: check(2, 20),
      recorded: [check(1, 20)],
      attempt: 2,
    },
    { what: 'is the reported one without numbers', reported: check(1, null), recorded: [check(3, null)], attempt: 1 },
    {
      what: 'is the reported one after an earlier version',
      reported: check(1, 30),
      recorded: [check(3, null)],
      attempt: 1,
    },
    {
      what: 'is the reported one after an earlier version recorded the greatest attempt',
      reported: check(2, 20),
      recorded: [check(1, 10), check(2, null)],
      attempt: 2,
    },
    {
      what: 'is new after an earlier version recorded an attempt that is not the greatest one',
      reported: check(2, 30),
      recorded: [check(1, null), check(2, 20)],
      attempt: 3,
    },
    {
      what: 'stays while its run was set back, and a later run follows',
      reported: check(2, 20),
      recorded: [check(1, 10), pending(2, 10)],
      attempt: 2,
    },
    {
      what: 'is new if an attempt with a run of its own is pending',
      reported: check(1, 30),
      recorded: [check(1, 10), pending(2, 20)],
      attempt: 3,
    },
    { what: 'is new if its ended run was set back', reported: pending(1, 10), recorded: [check(1, 10)], attempt: 2 },
    {
      what: 'stays while a run that was set back runs',
      reported: pending(1, 10),
      recorded: [check(1, 10), pending(2, 10)],
      attempt: 2,
    },
    {
      what: 'stays when a run that was set back ends',
      reported: check(1, 10),
      recorded: [check(1, 10), pending(2, 10)],
      attempt: 2,
    },
    {
      what: 'is new again if the run is set back once more',
      reported: pending(1, 10),
      recorded: [check(1, 10), check(2, 10)],
      attempt: 3,
    },
    {
      what: 'is new after a run that was set back',
      reported: check(2, 20),
      recorded: [check(1, 10), check(2, 10)],
      attempt: 3,
    },
    {
      what: 'is new if one of its runs was set back, and not the newest one',
      reported: pending(2, 20),
      recorded: [check(2, 20)],
      attempt: 3,
    },
    {
      what: 'stays if the recorded run has not ended',
      reported: pending(1, 10),
      recorded: [pending(1, 10)],
      attempt: 1,
    },
    {
      what: 'is that of an outdated report of a running check',
      reported: pending(1, 10),
      recorded: [check(1, 10), check(2, 20)],
      attempt: 1,
    },
    {
      what: 'is that of an outdated report after earlier runs were deleted',
      reported: pending(2, 10),
      recorded: [check(2, 20)],
      attempt: 2,
    },
    {
      what: 'is new if an earlier version recorded the end of the run',
      reported: pending(1, 10),
      recorded: [check(1, null)],
      attempt: 2,
    },
    {
      what: 'does not depend on other checks',
      reported: check(1, 30),
      recorded: [check(2, 20, 'lint')],
      attempt: 1,
    },
  ])('$what', ({ reported, recorded, attempt }) => {
    expect(withLastingAttempts([reported], recorded)).toEqual([{ ...reported, attempt }]);
  });

  it.each([
    { what: 'a run that was set back', reported: [pending(2, 10)], recorded: [check(1, 10)], isSo: true },
    {
      what: 'the second read of this run',
      reported: [pending(2, 10)],
      recorded: [check(1, 10), pending(2, 10)],
      isSo: false,
    },
    { what: 'a check that runs for the first time', reported: [pending(1, 10)], recorded: [], isSo: false },
    { what: 'an outdated report', reported: [pending(1, 10)], recorded: [check(1, 10), check(2, 20)], isSo: false },
    { what: 'a check that has ended', reported: [check(2, 20)], recorded: [check(1, 10)], isSo: false },
    { what: 'another check that ended', reported: [pending(2, 20)], recorded: [check(1, 10, 'lint')], isSo: false },
  ])('is first reported as running again by $what: $isSo', ({ reported, recorded, isSo }) => {
    expect(runsAgain({ checks: reported }, { checks: recorded })).toBe(isSo);
  });

  it('moves with earlier attempts that are reported together', () => {
    const replaced = { name: 'test', attempt: 1, conclusion: 'stale' };
    expect(withLastingAttempts([check(2, 30), replaced], [check(3, 20)])).toEqual([
      check(4, 30),
      { ...replaced, attempt: 3 },
    ]);
  });
});
