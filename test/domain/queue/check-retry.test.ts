// Which failed checks are tried again, and what counts meanwhile.
import { fc } from '../../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { judgeBuild } from '../../../src/domain/queue/evidence/evidence.ts';
import {
  attemptAppearsWithinMs,
  chooseRetryContext,
  decideRetries,
  withUndecidedChecks,
  type Retry,
} from '../../../src/domain/queue/evidence/check-retry.ts';
import type { BuildState, CheckState } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now } from './situation.ts';

const build = (...checks: CheckState[]): BuildState => ({
  commit: 'c',
  tree: 't',
  base: 'tip',
  checks,
  complete: true,
  startedAt: now - minute,
  finishedAt: now,
  lastEndAt: now,
});
const check = (name: string, attempt: number, conclusion: CheckState['conclusion']): CheckState => ({
  name,
  attempt,
  conclusion,
});
const retry = (change: Partial<Retry> = {}): Retry => ({
  commit: 'c',
  name: 'test',
  attempt: 1,
  state: 'started',
  startedAt: now - minute,
  ...change,
});
const failed = build(check('test', 1, 'failure'), check('lint', 1, 'success'));
const every = { retriableChecks: ['*'], requiredChecks: null, ownRequiredChecks: [] };
const named = (name: string) => [{ name, acceptableStatuses: ['success' as const] }];

interface Case {
  readonly name: string;
  readonly of: BuildState;
  readonly rules?: Partial<typeof every> | { readonly requiredChecks: ReturnType<typeof named> } | object;
  readonly retries?: readonly Retry[];
  readonly due: readonly string[];
  readonly undecided: readonly string[];
  readonly until?: number;
}

const ends = now - minute + attemptAppearsWithinMs;

const cases: readonly Case[] = [
  { name: 'is tried again', of: failed, due: ['test'], undecided: ['test'] },
  { name: 'is not tried again if it passed', of: build(check('test', 1, 'success')), due: [], undecided: [] },
  { name: 'nothing is where it is off', of: failed, rules: { retriableChecks: null }, due: [], undecided: [] },
  { name: 'only what is named', of: failed, rules: { retriableChecks: ['e2e-*'] }, due: [], undecided: [] },
  { name: 'a glob names it', of: failed, rules: { retriableChecks: ['te*'] }, due: ['test'], undecided: ['test'] },
  {
    name: 'one of several globs names it',
    of: failed,
    rules: { retriableChecks: ['e2e-*', 'te*'] },
    due: ['test'],
    undecided: ['test'],
  },
  {
    name: 'is tried again although another check was',
    of: failed,
    retries: [retry({ name: 'lint' })],
    due: ['test'],
    undecided: ['test'],
  },
  {
    name: 'is awaited beside another one, until the first of them must appear',
    of: build(check('test', 1, 'failure'), check('unit', 1, 'failure')),
    retries: [retry(), retry({ name: 'unit', startedAt: now })],
    due: [],
    undecided: ['test', 'unit'],
    until: ends,
  },
  {
    name: 'is not tried again if nobody requires it',
    of: failed,
    rules: { requiredChecks: named('lint') },
    due: [],
    undecided: [],
  },
  {
    name: 'is tried again if only heads require it',
    of: failed,
    rules: { requiredChecks: named('lint'), ownRequiredChecks: named('test') },
    due: ['test'],
    undecided: ['test'],
  },
  {
    name: 'is not tried again if it never ran',
    of: build(check('lint', 1, 'success')),
    rules: { requiredChecks: named('test') },
    due: [],
    undecided: [],
  },
  { name: 'is not tried again if it was canceled', of: build(check('test', 1, 'cancelled')), due: [], undecided: [] },
  {
    name: 'is tried again although another check was canceled',
    of: build(check('test', 1, 'failure'), check('lint', 1, 'cancelled')),
    due: ['test'],
    undecided: ['test'],
  },
  {
    name: 'counts as undecided until the host was asked',
    of: failed,
    retries: [retry({ state: 'planned', startedAt: null })],
    due: [],
    undecided: ['test'],
  },
  { name: 'waits for the new attempt', of: failed, retries: [retry()], due: [], undecided: ['test'], until: ends },
  {
    name: 'counts as undecided only for a limited time',
    of: failed,
    retries: [retry({ startedAt: now - attemptAppearsWithinMs })],
    due: [],
    undecided: [],
  },
  {
    name: 'has failed if the host refuses to run it again',
    of: failed,
    retries: [retry({ state: 'refused' })],
    due: [],
    undecided: [],
  },
  {
    name: 'has failed after the second failure',
    of: build(check('test', 1, 'failure'), check('test', 2, 'failure')),
    retries: [retry()],
    due: [],
    undecided: [],
  },
  {
    name: 'is tried again although somebody else has started an attempt',
    of: build(check('test', 1, 'failure'), check('test', 2, 'failure')),
    due: ['test'],
    undecided: ['test'],
  },
  {
    name: 'is not affected by a retry of another commit',
    of: failed,
    retries: [retry({ commit: 'd' })],
    due: ['test'],
    undecided: ['test'],
  },
];

describe('a failed check', () => {
  test.each(cases)('$name', ({ of, rules, retries = [], due, undecided, until }) => {
    const outlook = decideRetries(of, { rules: { ...every, ...rules }, retries, now });
    expect(outlook.due.map((one) => one.name)).toEqual(due);
    expect(outlook.undecided).toEqual(undecided);
    expect(outlook.until).toBe(until ?? null);
  });
});

test('the newest attempt is tried again, in whatever order the host lists them', () => {
  const of = build(check('test', 2, 'failure'), check('test', 1, 'failure'));
  expect(decideRetries(of, { rules: every, retries: [], now }).due).toEqual([check('test', 2, 'failure')]);
});

test('a build counts its undecided checks as running', () => {
  expect(withUndecidedChecks(failed, ['test']).checks.map(({ conclusion }) => conclusion)).toEqual([
    'pending',
    'success',
  ]);
  expect(withUndecidedChecks(failed, [])).toEqual(failed);
});

const conclusions = ['success', 'failure', 'pending', 'timed_out', 'skipped', 'cancelled'] as const;
const anyBuild = fc
  .array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      attempt: fc.integer({ min: 1, max: 3 }),
      conclusion: fc.constantFrom(...conclusions),
    }),
    { maxLength: 6 },
  )
  .map((checks) => build(...checks));
const anyRetries = fc.array(
  fc.record({
    commit: fc.constant('c'),
    name: fc.constantFrom('a', 'b', 'c'),
    attempt: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom('planned' as const, 'started' as const, 'refused' as const),
    startedAt: fc.constantFrom(null, now, now - attemptAppearsWithinMs),
  }),
  { maxLength: 3 },
);

test('a retry never makes a check green, is requested once, and ends in the result of the check', () => {
  fc.assert(
    fc.property(anyBuild, anyRetries, (of, retries) => {
      const outlook = decideRetries(of, { rules: every, retries, now });
      const judged = judgeBuild(withUndecidedChecks(of, outlook.undecided), null);
      const plain = judgeBuild(of, null);
      expect(judged === plain || (plain === 'red' && judged === 'pending')).toBe(true);
      const asked = outlook.due.map((one) => retry({ ...one, commit: 'c', startedAt: now }));
      const later = now + attemptAppearsWithinMs;
      const settled = [...retries, ...asked].map((one) => ({ ...one, startedAt: one.startedAt ?? now }));
      expect(decideRetries(of, { rules: every, retries: settled, now: later })).toMatchObject({
        due: [],
        undecided: [],
      });
    }),
  );
});

describe('the context of a retried check', () => {
  const said = {
    context: 'all',
    checks: [{ name: 'e2e-*', context: 'the browser' }, { name: 'api', contextFile: 'api.md' }, { name: 'db' }],
  };
  test.each([
    ['e2e-login', { context: 'the browser', contextFile: undefined }],
    ['api', { context: undefined, contextFile: 'api.md' }],
    ['db', { context: 'all', contextFile: undefined }],
    ['other', { context: 'all', contextFile: undefined }],
  ])('%s', (name, context) => expect(chooseRetryContext(name, said)).toEqual(context));
});
