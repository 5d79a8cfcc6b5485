// What GitHub's rules for a base branch mean for landings.
import { expect, test } from 'vitest';
import { type BranchFacts, judgeBaseRules, type ProtectionFacts } from '../../../src/hosts/github/base-rules.ts';
import type { BaseRules } from '../../../src/hosts/port.ts';

const ruleset = { id: 4, name: 'main', url: 'https://github.com/acme/shop/rules/4' };
const open: ProtectionFacts = {
  requiredChecks: [],
  requiresPullRequest: false,
  skipsPullRequest: false,
  restrictsPushes: false,
  mayPush: false,
  linear: false,
  signed: false,
  isLocked: false,
  deployments: [],
  url: 'https://github.com/acme/shop/settings/branches',
};

function rule(type: string, checks: readonly string[] = []) {
  return { type, rulesetId: 4, checks };
}

const cure = 'Add interlock to the bypass list of the ruleset main, mode always. https://github.com/acme/shop/rules/4';

interface Case {
  readonly name: string;
  readonly facts: Partial<BranchFacts>;
  readonly rules: Partial<BaseRules>;
}

const cases: readonly Case[] = [
  {
    name: 'deployments that the protection requires',
    facts: { protection: { ...open, deployments: ['staging', 'production'] } },
    rules: {
      push: 'free',
      why: 'The protection of main requires deployments to succeed (staging, production), so it may refuse landings. Require the deployments by a ruleset with interlock on its bypass list, mode always, instead. https://github.com/acme/shop/settings/branches',
    },
  },
  { name: 'no rule', facts: {}, rules: { push: 'free', why: null, requiredChecks: [], linear: false, signed: false } },
  {
    name: 'required checks of a ruleset',
    facts: {
      rules: [rule('required_status_checks', ['test', 'lint'])],
      rulesets: [{ ...ruleset, bypasses: false }],
    },
    rules: { push: 'checked', why: null, requiredChecks: ['lint', 'test'], enforcedChecks: ['lint', 'test'] },
  },
  {
    name: 'required checks of a ruleset that the App bypasses',
    facts: { rules: [rule('required_status_checks', ['test'])], rulesets: [{ ...ruleset, bypasses: true }] },
    rules: { push: 'free', requiredChecks: ['test'] },
  },
  {
    name: 'required checks of a ruleset that does not say whether the App bypasses it',
    facts: { rules: [rule('required_status_checks', ['test'])], rulesets: [{ ...ruleset, bypasses: null }] },
    rules: { push: 'checked', requiredChecks: ['test'] },
  },
  {
    name: 'required checks that count from one App, by two rules',
    facts: {
      rules: [{ ...rule('required_status_checks', ['test', 'lint']), pins: { test: ['7'] } }],
      rulesets: [{ ...ruleset, bypasses: false }],
      protection: { ...open, requiredChecks: ['test'], pins: { test: ['15368', '7'] } },
    },
    rules: { requiredChecks: ['lint', 'test'], enforcedChecks: ['lint', 'test'], pinned: { test: ['15368', '7'] } },
  },
  {
    name: 'required checks of both kinds of rules',
    facts: {
      rules: [rule('required_status_checks', ['test'])],
      rulesets: [{ ...ruleset, bypasses: true }],
      protection: { ...open, requiredChecks: ['test', 'build'] },
    },
    rules: {
      push: 'checked',
      requiredChecks: ['build', 'test'],
      enforcedChecks: ['build', 'test'],
      cures: {
        checks: `require the checks by a ruleset with interlock on its bypass list, mode always, instead of by the protection. ${open.url}`,
      },
    },
  },
  ...[
    ['update', 'Restrict updates'],
    ['merge_queue', 'Require merge queue'],
    ['pull_request', 'Require a pull request before merging'],
    ['required_deployments', 'Require deployments to succeed'],
    ['workflows', 'Require workflows to pass before merging'],
    ['code_scanning', 'Require code scanning results'],
  ].flatMap(([type = '', shown = '']) => [
    {
      name: `the rule ${type} that binds the App`,
      facts: { rules: [rule(type)], rulesets: [{ ...ruleset, bypasses: false }] },
      rules: {
        push: 'refused' as const,
        why: `The rule "${shown}" of the ruleset main refuses landings on main. ${cure}`,
      },
    },
    {
      name: `the rule ${type} that may bind the App`,
      facts: { rules: [rule(type)], rulesets: [{ ...ruleset, bypasses: null }] },
      rules: {
        push: 'free' as const,
        why: `The rule "${shown}" of the ruleset main may refuse landings on main. ${cure}`,
      },
    },
    {
      name: `the rule ${type} that the App bypasses`,
      facts: { rules: [rule(type)], rulesets: [{ ...ruleset, bypasses: true }] },
      rules: { push: 'free' as const, why: null },
    },
  ]),
  {
    name: 'two rules that bind the App, of one ruleset',
    facts: {
      rules: [rule('update'), rule('pull_request'), rule('required_linear_history')],
      rulesets: [{ ...ruleset, bypasses: false }],
    },
    rules: {
      push: 'refused',
      linear: true,
      why: `The rules "Require a pull request before merging" and "Restrict updates" of the ruleset main refuse landings on main. ${cure}`,
    },
  },
  {
    name: 'a rule that binds the App, and one of another ruleset that may',
    facts: {
      rules: [rule('update'), { ...rule('merge_queue'), rulesetId: 5 }],
      rulesets: [
        { ...ruleset, bypasses: null },
        { id: 5, name: 'queue', url: 'https://github.com/acme/shop/rules/5', bypasses: false },
      ],
    },
    rules: {
      push: 'refused',
      why: 'The rule "Require merge queue" of the ruleset queue refuses landings on main. Add interlock to the bypass list of the ruleset queue, mode always. https://github.com/acme/shop/rules/5',
    },
  },
  ...(
    [
      ['binds', false],
      ['may bind', null],
    ] as const
  ).map(([verb, bypasses]) => ({
    name: `a rule about messages that ${verb} the App`,
    facts: { rules: [rule('commit_message_pattern')], rulesets: [{ ...ruleset, bypasses }] },
    rules: {
      push: 'free' as const,
      why: `The rule "Restrict commit metadata: commit message" of the ruleset main may refuse some landings on main. ${cure}`,
    },
  })),
  {
    name: 'linear history',
    facts: { rules: [rule('required_linear_history')], rulesets: [{ ...ruleset, bypasses: false }] },
    rules: {
      push: 'free',
      linear: true,
      signed: false,
      why: null,
      cures: { linear: cure.replace('Add', 'add') },
    },
  },
  {
    name: 'signatures',
    facts: { rules: [rule('required_signatures')], rulesets: [{ ...ruleset, bypasses: false }] },
    rules: {
      push: 'refused',
      signed: true,
      why: `The rule "Require signed commits" of the ruleset main refuses landings on main. Commits of Interlock are not signed, because COMMIT_SIGNING_KEY is not set. ${cure}`,
    },
  },
  {
    name: 'signatures, and Interlock signs',
    facts: {
      rules: [rule('required_signatures')],
      rulesets: [{ ...ruleset, bypasses: false }],
      protection: { ...open, signed: true },
      signsCommits: true,
    },
    rules: { push: 'free', signed: true, why: null },
  },
  {
    name: 'linear history and signatures that the App bypasses',
    facts: {
      rules: [rule('required_linear_history'), rule('required_signatures')],
      rulesets: [{ ...ruleset, bypasses: true }],
    },
    rules: { push: 'free', linear: false, signed: false, why: null },
  },
  {
    name: 'linear history and signatures of classic protection',
    facts: { protection: { ...open, linear: true, signed: true, pins: {} } },
    rules: {
      push: 'refused',
      linear: true,
      signed: true,
      why: `The protection of main requires signed commits, and commits of Interlock are not signed, because COMMIT_SIGNING_KEY is not set. Set COMMIT_SIGNING_KEY, or require signed commits by a ruleset with interlock on its bypass list, mode always, instead. ${open.url}`,
    },
  },
  {
    name: 'a locked branch',
    facts: { protection: { ...open, isLocked: true } },
    rules: {
      push: 'refused',
      why: `The branch main is locked at GitHub. Turn "Lock branch" off in its protection. ${open.url}`,
    },
  },
  {
    name: 'a list of pushers without the App',
    facts: { protection: { ...open, restrictsPushes: true } },
    rules: {
      push: 'refused',
      why: `The protection of main restricts who can push. Add interlock to "Restrict who can push to matching branches". ${open.url}`,
    },
  },
  {
    name: 'a list of pushers with the App, and a pull request required of it',
    facts: { protection: { ...open, restrictsPushes: true, mayPush: true, requiresPullRequest: true } },
    rules: {
      push: 'refused',
      why: `The protection of main requires a pull request before merging. Add interlock to "Allow specified actors to bypass required pull requests". ${open.url}`,
    },
  },
  {
    name: 'both lists with the App',
    facts: {
      protection: {
        ...open,
        restrictsPushes: true,
        mayPush: true,
        requiresPullRequest: true,
        skipsPullRequest: true,
      },
    },
    rules: { push: 'free', why: null },
  },
  {
    name: 'required checks of classic protection',
    facts: { protection: { ...open, requiredChecks: ['test'] } },
    rules: { push: 'checked', requiredChecks: ['test'], enforcedChecks: ['test'] },
  },
];

test.each(cases)('$name', ({ facts, rules }) => {
  const judged = judgeBaseRules({
    branch: 'main',
    app: 'interlock',
    signsCommits: false,
    rules: [],
    rulesets: [],
    protection: null,
    ...facts,
  });
  expect(judged).toMatchObject(rules);
  // Uncertain rules are not enforced.
  expect(judged.enforcedChecks).toEqual(rules.enforcedChecks);
});

test('the order in which GitHub gives rules and checks changes nothing', () => {
  const given = [
    rule('update'),
    rule('required_signatures'),
    rule('required_linear_history'),
    rule('required_status_checks', ['test', 'lint']),
    { ...rule('merge_queue'), rulesetId: 5 },
    { ...rule('max_file_size'), rulesetId: 5 },
    { ...rule('required_linear_history'), rulesetId: 5 },
  ];
  const judge = (rules: BranchFacts['rules']): BaseRules =>
    judgeBaseRules({
      branch: 'main',
      app: 'interlock',
      signsCommits: false,
      rules,
      rulesets: [
        { ...ruleset, bypasses: false },
        { id: 5, name: 'other', url: 'https://github.com/acme/shop/rules/5', bypasses: false },
      ],
      protection: null,
    });
  const reversed = given.toReversed().map((each) => ({ ...each, checks: each.checks.toReversed() }));
  expect(judge(reversed)).toEqual(judge(given));
});
