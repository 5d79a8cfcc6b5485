import { expect, it } from 'vitest';
import { hasNews, type KeptChecks } from '../../../src/domain/queue/evidence/recorded-checks.ts';

const checks = (...conclusions: string[]): KeptChecks => ({
  complete: false,
  canceled: false,
  checks: conclusions.map((conclusion, index) => ({ name: 'test', attempt: index + 1, conclusion })),
});

it.each<[string, boolean, KeptChecks, KeptChecks]>([
  ['nothing, twice', false, checks(), checks()],
  ['a check that has started', true, checks('pending'), checks()],
  ['the same again', false, checks('success'), checks('success')],
  ['an end', true, checks('success'), checks('pending')],
  ['an end that changed', true, checks('failure'), checks('success')],
  ['what ran before it ended', false, checks('pending'), checks('success')],
  ['another attempt', true, checks('failure', 'pending'), checks('failure')],
  ['fewer than are kept', false, checks('failure'), checks('failure', 'pending')],
  ['that no check follows', true, { ...checks('success'), complete: true }, checks('success')],
  ['less than a list that was complete', false, checks('success'), { ...checks('success'), complete: true }],
  ['that it was canceled', true, { ...checks(), canceled: true }, checks()],
  [
    'our own check',
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
])('a report with %s: news is %s', (_what, isNews, report, kept) => {
  expect(hasNews(report, kept)).toBe(isNews);
});
