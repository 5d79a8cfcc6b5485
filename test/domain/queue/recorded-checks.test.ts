import { expect, it } from 'vitest';
import { hasNews, type RecordedChecks } from '../../../src/domain/queue/evidence/recorded-checks.ts';

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
