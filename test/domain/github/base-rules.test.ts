// What GitHub's rules of a base branch mean for landings.
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
};

function rule(type: string, checks: readonly string[] = []) {
  return { type, rulesetId: 4, checks };
}

interface Case {
  readonly name: string;
  readonly facts: Partial<BranchFacts>;
  readonly rules: Partial<BaseRules>;
}

const cases: readonly Case[] = [
  { name: 'no rule', facts: {}, rules: { push: 'free', why: null, requiredChecks: [], linear: false, signed: false } },
  {
    name: 'required checks of a ruleset',
    facts: {
      rules: [rule('required_status_checks', ['test', 'lint'])],
      rulesets: [{ ...ruleset, bypasses: false }],
    },
    rules: { push: 'checked', why: null, requiredChecks: ['test', 'lint'] },
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
    name: 'required checks of both kinds of rules',
    facts: {
      rules: [rule('required_status_checks', ['test'])],
      rulesets: [{ ...ruleset, bypasses: true }],
      protection: { ...open, requiredChecks: ['test', 'build'] },
    },
    rules: { push: 'checked', requiredChecks: ['test', 'build'] },
  },
  ...['update', 'merge_queue', 'pull_request', 'required_deployments', 'workflows', 'code_scanning'].flatMap((type) => [
    {
      name: `the rule ${type} that binds the App`,
      facts: { rules: [rule(type)], rulesets: [{ ...ruleset, bypasses: false }] },
      rules: {
        push: 'refused' as const,
        why: `The rule ${type} of the ruleset main refuses landings on main. Add interlock to the bypass list of the ruleset main, mode always. https://github.com/acme/shop/rules/4`,
      },
    },
    {
      name: `the rule ${type} that may bind the App`,
      facts: { rules: [rule(type)], rulesets: [{ ...ruleset, bypasses: null }] },
      rules: {
        push: 'free' as const,
        why: `The rule ${type} of the ruleset main may refuse landings on main. Add interlock to the bypass list of the ruleset main, mode always. https://github.com/acme/shop/rules/4`,
      },
    },
    {
      name: `the rule ${type} that the App bypasses`,
      facts: { rules: [rule(type)], rulesets: [{ ...ruleset, bypasses: true }] },
      rules: { push: 'free' as const, why: null },
    },
  ]),
  {
    name: 'linear history and signatures',
    facts: {
      rules: [rule('required_linear_history'), rule('required_signatures')],
      rulesets: [{ ...ruleset, bypasses: false }],
    },
    rules: { push: 'free', linear: true, signed: true },
  },
  {
    name: 'linear history and signatures that the App bypasses',
    facts: {
      rules: [rule('required_linear_history'), rule('required_signatures')],
      rulesets: [{ ...ruleset, bypasses: true }],
    },
    rules: { push: 'free', linear: false, signed: false },
  },
  {
    name: 'linear history and signatures of classic protection',
    facts: { protection: { ...open, linear: true, signed: true } },
    rules: { push: 'free', linear: true, signed: true },
  },
  {
    name: 'a locked branch',
    facts: { protection: { ...open, isLocked: true } },
    rules: { push: 'refused', why: 'The branch main is locked at GitHub. Unlock it in its protection.' },
  },
  {
    name: 'a list of pushers without the App',
    facts: { protection: { ...open, restrictsPushes: true } },
    rules: {
      push: 'refused',
      why: 'The protection of main restricts who can push. Add interlock to that list.',
    },
  },
  {
    name: 'a list of pushers with the App, and a pull request required of it',
    facts: { protection: { ...open, restrictsPushes: true, mayPush: true, requiresPullRequest: true } },
    rules: {
      push: 'refused',
      why: 'The protection of main requires a pull request before merging. Add interlock to "Allow specified actors to bypass required pull requests".',
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
    rules: { push: 'checked', requiredChecks: ['test'] },
  },
];

test.each(cases)('$name', ({ facts, rules }) => {
  const judged = judgeBaseRules({
    branch: 'main',
    app: 'interlock',
    rules: [],
    rulesets: [],
    protection: null,
    ...facts,
  });
  expect(judged).toMatchObject(rules);
});
