import { describe, expect, test } from 'vitest';
import {
  branchRefusalHaltText,
  decideHostHold,
  isBranchRefusalHalt,
  landsBuiltCommitsOnly,
  mergeCommitsOf,
  type HostRules,
} from '../../../src/domain/queue/landing/host-rules.ts';

const free: HostRules = { push: 'free', why: null, linear: false, signed: false };
const why = 'Add Interlock to the bypass list.';
type Configured = Pick<Parameters<typeof decideHostHold>[1], 'rules' | 'isMergedByHost'>;
const parallel: Configured = {
  rules: { mode: 'parallel', strategy: 'squash', batchCommit: 'group' },
  isMergedByHost: false,
};
const changed = (rules: Partial<Configured['rules']>): Configured => ({
  ...parallel,
  rules: { ...parallel.rules, ...rules },
});
const byHost: Configured = { ...parallel, isMergedByHost: true };

describe('the reason why nothing lands on a base branch', () => {
  test.each<[string, HostRules | null, Configured, RegExp | null]>([
    ['rules that were not read yet', null, parallel, null],
    ['no rule', free, parallel, null],
    ['a rule that may refuse', { ...free, why }, parallel, null],
    ['a rule that refuses', { ...free, push: 'refused', why }, parallel, /takes no landing on main\. Add Interlock to/],
    [
      'a rule that refuses and does not say why',
      { ...free, push: 'refused' },
      parallel,
      /^The code host takes no landing on main\.$/,
    ],
    ['a rule that refuses pushes, if the host merges', { ...free, push: 'refused', why }, byHost, null],
    ['no rule, in serial mode', free, changed({ mode: 'serial' }), null],
    ['required checks', { ...free, push: 'checked' }, parallel, null],
    [
      'required checks, in serial mode',
      { ...free, push: 'checked' },
      changed({ mode: 'serial' }),
      /the mode default lands .*, or permit Interlock to bypass the required checks\.$/,
    ],
    ['required checks, without a queue', { ...free, push: 'checked' }, changed({ mode: 'no-queue' }), /mode no-queue/],
    [
      'a required check that only heads have',
      {
        ...free,
        push: 'checked',
        enforcedChecks: ['test', 'interlock/verify'],
        cures: { checks: 'add the App to the list. https://x.test/3' },
      },
      parallel,
      /check interlock\/verify on main, .*required_checks instead, or add the App to the list\. https:\/\/x\.test\/3$/,
    ],
    [
      'two required checks that only heads have',
      { ...free, push: 'checked', enforcedChecks: ['interlock/verify', 'interlock/other'] },
      parallel,
      /check interlock\/verify and interlock\/other on main, .*, or permit Interlock to bypass the required checks\.$/,
    ],
    [
      'a check that only heads have, if pushes are free',
      { ...free, enforcedChecks: ['interlock/verify'] },
      parallel,
      null,
    ],
    ['required checks that CI runs', { ...free, push: 'checked', enforcedChecks: ['test'] }, parallel, null],
    [
      'a linear history and group commits',
      { ...free, linear: true },
      parallel,
      /batch_commit to linear, or remove the rule/,
    ],
    [
      'a linear history, for which the host names a cure',
      { ...free, linear: true, cures: { linear: 'add the App to the list. https://x.test/1' } },
      parallel,
      /batch_commit to linear, or add the App to the list\. https:\/\/x\.test\/1$/,
    ],
    [
      'required checks, for which the host names a cure, in serial mode',
      { ...free, push: 'checked', cures: { checks: 'add the App to the list. https://x.test/2' } },
      changed({ mode: 'serial' }),
      /type to parallel, or add the App to the list\. https:\/\/x\.test\/2$/,
    ],
    ['a linear history and linear commits', { ...free, linear: true }, changed({ batchCommit: 'linear' }), null],
    [
      'a linear history and the strategy merge',
      { ...free, linear: true },
      changed({ strategy: 'merge', batchCommit: 'linear' }),
      /merge_strategy\.name to squash or rebase/,
    ],
    ['a linear history, if the host merges each pull request', { ...free, linear: true }, byHost, null],
  ])('%s', (_name, host, configured, expected) => {
    expect(decideHostHold(host, { baseBranch: 'main', ...configured })).toEqual(
      expected && expect.stringMatching(expected),
    );
  });
});

test.each([
  ['the strategy merge', changed({ strategy: 'merge' }), 'merge_strategy.name is merge', ['name']],
  [
    'the strategy merge, by the host',
    { ...changed({ strategy: 'merge' }), isMergedByHost: true },
    'merge_strategy.name is merge',
    ['name'],
  ],
  [
    'groups of several commits',
    parallel,
    'merge_strategy.batch_commit: group joins several commits by a merge commit',
    ['batch_commit'],
  ],
] as const)('if merge commits come from %s, the key is named', (_name, configured, what, [key]) => {
  expect(mergeCommitsOf(configured)).toMatchObject({ what, key: ['merge_rules', 'merge_strategy', key] });
});

test.each([
  ['linear commits', changed({ batchCommit: 'linear' })],
  ['the host that merges each pull request', byHost],
])('no merge commits come from %s', (_name, configured) => expect(mergeCommitsOf(configured)).toBeNull());

test('if the host requires checks, only a commit that was built itself lands, unless the host merges', () => {
  expect(landsBuiltCommitsOnly({ ...free, push: 'checked' }, parallel)).toBe(true);
  expect(landsBuiltCommitsOnly({ ...free, push: 'checked' }, byHost)).toBe(false);
  expect(landsBuiltCommitsOnly(free, parallel)).toBe(false);
  expect(landsBuiltCommitsOnly(null, parallel)).toBe(false);
});

test.each([
  [null, 'Permit Interlock to bypass the rule.'],
  ['Add interlock to the bypass list.', 'Add interlock to the bypass list.'],
])('a queue that halts because the host refuses every landing names the cure (%s)', (shown, cure) => {
  const message = 'GH006: Changes must be made through the merge queue';
  const reason = branchRefusalHaltText('main', { message, why: shown });
  expect(reason).toBe(
    `The code host refuses every landing on main: ${message}. ${cure} The queue resumes when the rules of the branch change. If it does not, resume it.`,
  );
  expect(isBranchRefusalHalt(reason)).toBe(true);
});

test.each([null, 'The code host refused', 'Landing batch 7 failed 20 times: it is down'])(
  'the halt "%s" does not end when the rules of the branch change',
  (reason) => {
    expect(isBranchRefusalHalt(reason)).toBe(false);
  },
);
