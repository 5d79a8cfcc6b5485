// Decides from GitHub's rules for a base branch whether GitHub will accept landings. Pure (ADR 0071).
import type { BaseRules, PinnedChecks } from '../port.ts';

export interface RulesetFacts {
  readonly id: number;
  readonly name: string;
  /** Whether the App may bypass the ruleset. Null: GitHub does not say. */
  readonly bypasses: boolean | null;
  readonly url: string;
}

/** A rule of a ruleset that applies to the branch. */
export interface RuleFacts {
  readonly type: string;
  readonly rulesetId: number;
  readonly checks: readonly string[];
  /** The checks that count only from certain Apps. */
  readonly pins?: PinnedChecks;
}

/** The classic branch protection of the branch. */
export interface ProtectionFacts {
  readonly requiredChecks: readonly string[];
  readonly pins?: PinnedChecks;
  readonly requiresPullRequest: boolean;
  /** Whether the App may push without a pull request. */
  readonly skipsPullRequest: boolean;
  readonly restrictsPushes: boolean;
  readonly mayPush: boolean;
  readonly linear: boolean;
  readonly signed: boolean;
  readonly isLocked: boolean;
  /**
   * The environments to which a commit must have been deployed before the branch takes it. Empty: there are none. Null:
   * it is not known.
   */
  readonly deployments: readonly string[] | null;
  /** The page where the settings of the protection are changed. */
  readonly url: string;
}

export interface BranchFacts {
  readonly branch: string;
  readonly app: string;
  /** Whether commits of Interlock have a signature that GitHub verifies. */
  readonly signsCommits: boolean;
  readonly rules: readonly RuleFacts[];
  readonly rulesets: readonly RulesetFacts[];
  /** Null: the branch has no classic protection. */
  readonly protection: ProtectionFacts | null;
}

/** A rule at GitHub that refuses landings, or may refuse them. */
export interface RefusingRule {
  /** False: GitHub does not show whether the App is exempt, or the rule refuses only some commits. */
  readonly isCertain: boolean;
  readonly message: string;
  readonly cure: string;
}

/** Rules that refuse every push, by their names in GitHub's settings. */
export const refusingRuleTypes: Readonly<Record<string, string>> = {
  update: 'Restrict updates',
  merge_queue: 'Require merge queue',
  pull_request: 'Require a pull request before merging',
  required_deployments: 'Require deployments to succeed',
  workflows: 'Require workflows to pass before merging',
  code_scanning: 'Require code scanning results',
};

/** Rules that refuse only some commits, by their names in GitHub's settings. */
export const selectiveRuleTypes: Readonly<Record<string, string>> = {
  commit_message_pattern: 'Restrict commit metadata: commit message',
  commit_author_email_pattern: 'Restrict commit metadata: author email',
  committer_email_pattern: 'Restrict commit metadata: committer email',
  file_path_restriction: 'Restrict file paths',
  file_extension_restriction: 'Restrict file extensions',
  max_file_path_length: 'Restrict file path length',
  max_file_size: 'Restrict file size',
};

const signatures = 'Require signed commits';

/** GitHub may give the same rules in any order. The same rules get the same judgement, word for word. */
export function judgeBaseRules(unsorted: BranchFacts): BaseRules {
  const facts = { ...unsorted, rules: unsorted.rules.toSorted(compareRules) };
  const { rules, protection } = facts;
  const binding = rules.filter((rule) => bypassOf(facts, rule) !== true);
  const names = [...rules.flatMap(({ checks }) => checks), ...(protection?.requiredChecks ?? [])];
  const refusingRules = findRefusingRules(facts);
  const certain = refusingRules.filter(({ isCertain }) => isCertain);
  // If GitHub does not say whether the App may bypass a ruleset, the checks of that ruleset do not count as enforced.
  const withoutBypass = rules.filter((rule) => bypassOf(facts, rule) === false);
  const enforced = [...withoutBypass.flatMap(({ checks }) => checks), ...(protection?.requiredChecks ?? [])];
  const isChecked =
    binding.some(({ type }) => type === 'required_status_checks') || (protection?.requiredChecks.length ?? 0) > 0;
  const reported = certain.length > 0 ? certain : refusingRules;
  const pinned = joinPins([...rules, ...(protection === null ? [] : [protection])].map(({ pins }) => pins ?? {}));
  const linear = cureOf(facts, binding, 'required_linear_history');
  const checks = cureOf(facts, binding, 'required_status_checks');
  return {
    requiredChecks: [...new Set(names)].toSorted(),
    push: certain.length > 0 ? 'refused' : isChecked ? 'checked' : 'free',
    why: reported.length === 0 ? null : reported.map(({ message, cure }) => `${message} ${cure}`).join(' '),
    linear: binding.some(({ type }) => type === 'required_linear_history') || (protection?.linear ?? false),
    signed: binding.some(({ type }) => type === 'required_signatures') || (protection?.signed ?? false),
    ...(enforced.length > 0 && { enforcedChecks: [...new Set(enforced)].toSorted() }),
    ...(Object.keys(pinned).length > 0 && { pinned }),
    ...((linear !== null || checks !== null) && {
      cures: { ...(linear !== null && { linear }), ...(checks !== null && { checks }) },
    }),
  };
}

function compareRules(a: RuleFacts, b: RuleFacts): number {
  if (a.rulesetId !== b.rulesetId) return a.rulesetId - b.rulesetId;
  return a.type === b.type ? 0 : a.type < b.type ? -1 : 1;
}

const classicCures = {
  required_linear_history: (branch: string) => `turn "Require linear history" off in the protection of ${branch}.`,
  // No App bypasses required checks of classic protection.
  required_status_checks: (_branch: string, app: string) =>
    `require the checks by a ruleset with ${app} on its bypass list, mode always, instead of by the protection.`,
} as const;

/**
 * Returns the cure for a rule. If classic protection has the rule, the cure for classic protection is returned, because
 * a change of rulesets does not help then.
 * Null: no ruleset or protection with a known name has the rule.
 */
function cureOf(
  { protection, branch, app, rulesets }: BranchFacts,
  binding: readonly RuleFacts[],
  type: keyof typeof classicCures,
): string | null {
  const isClassic =
    type === 'required_linear_history' ? protection?.linear : (protection?.requiredChecks.length ?? 0) > 0;
  if (protection !== null && isClassic === true) return `${classicCures[type](branch, app)} ${protection.url}`;
  const rule = binding.find((each) => each.type === type);
  const ruleset = rulesets.find(({ id }) => id === rule?.rulesetId);
  return ruleset === undefined ? null : `${bypassCure(app, ruleset.name)} ${ruleset.url}`.replace(/^A/, 'a');
}

function bypassCure(app: string, ruleset: string): string {
  return `Add ${app} to the bypass list of the ruleset ${ruleset}, mode always.`;
}

/** Joins the pins of several rules. Each rule must be met, so the Apps of all rules are in the result. */
function joinPins(all: readonly PinnedChecks[]): PinnedChecks {
  const names = [...new Set(all.flatMap((pins) => Object.keys(pins)))].toSorted();
  return Object.fromEntries(
    names.map((name) => [name, [...new Set(all.flatMap((pins) => pins[name] ?? []))].toSorted()]),
  );
}

/** All rules that refuse landings or may refuse them: first of classic protection, then of each ruleset. */
export function findRefusingRules(facts: BranchFacts): RefusingRule[] {
  const ids = [...new Set(facts.rules.map(({ rulesetId }) => rulesetId))];
  return [...refusingRulesOfProtection(facts), ...ids.flatMap((id) => refusingRulesOfRuleset(facts, id))];
}

function refusingRulesOfRuleset(facts: BranchFacts, rulesetId: number): RefusingRule[] {
  const rules = facts.rules.filter((rule) => rule.rulesetId === rulesetId && bypassOf(facts, rule) !== true);
  const ruleset = facts.rulesets.find(({ id }) => id === rulesetId);
  const name = ruleset?.name ?? String(rulesetId);
  const link = ruleset === undefined ? '' : ` ${ruleset.url}`;
  const cure = `${bypassCure(facts.app, name)}${link}`;
  const refusing = rules.flatMap(({ type }) => {
    const named =
      refusingRuleTypes[type] ?? (type === 'required_signatures' && !facts.signsCommits ? signatures : undefined);
    return named === undefined ? [] : [named];
  });
  const selectiveNames = rules.flatMap(({ type }) => selectiveRuleTypes[type] ?? []);
  const isCertain = ruleset?.bypasses === false;
  const of = `of the ruleset ${name}`;
  const unsigned = refusing.includes(signatures)
    ? ' Commits of Interlock are not signed, because COMMIT_SIGNING_KEY is not set.'
    : '';
  return [
    ...(refusing.length === 0
      ? []
      : [
          {
            isCertain,
            message: `${subjectOf(refusing)} ${of} ${isCertain ? verbOf(refusing) : 'may refuse'} landings on ${facts.branch}.${unsigned}`,
            cure,
          },
        ]),
    ...(selectiveNames.length === 0
      ? []
      : [
          {
            isCertain: false,
            message: `${subjectOf(selectiveNames)} ${of} may refuse some landings on ${facts.branch}.`,
            cure,
          },
        ]),
  ];
}

function subjectOf(names: readonly string[]): string {
  const quoted = [...new Set(names)].map((name) => `"${name}"`);
  return quoted.length === 1
    ? `The rule ${quoted[0] ?? ''}`
    : `The rules ${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''}`;
}

function verbOf(names: readonly string[]): string {
  return new Set(names).size === 1 ? 'refuses' : 'refuse';
}

function bypassOf({ rulesets }: BranchFacts, { rulesetId }: RuleFacts): boolean | null {
  return rulesets.find(({ id }) => id === rulesetId)?.bypasses ?? null;
}

/**
 * The rules of a branch protection that refuse landings. Interlock must be on both lists of the protection: actors that
 * may push, and actors that need no pull request.
 */
function refusingRulesOfProtection({ protection, branch, app, signsCommits }: BranchFacts): RefusingRule[] {
  if (protection === null) return [];
  const { isLocked, restrictsPushes, mayPush, requiresPullRequest, skipsPullRequest, signed, deployments, url } =
    protection;
  const all: readonly (readonly [boolean, string, string])[] = [
    [isLocked, `The branch ${branch} is locked at GitHub.`, 'Turn "Lock branch" off in its protection.'],
    [
      restrictsPushes && !mayPush,
      `The protection of ${branch} restricts who can push.`,
      `Add ${app} to "Restrict who can push to matching branches".`,
    ],
    [
      requiresPullRequest && !skipsPullRequest,
      `The protection of ${branch} requires a pull request before merging.`,
      `Add ${app} to "Allow specified actors to bypass required pull requests".`,
    ],
    [
      signed && !signsCommits,
      `The protection of ${branch} requires signed commits, and commits of Interlock are not signed, because COMMIT_SIGNING_KEY is not set.`,
      `Set COMMIT_SIGNING_KEY, or require signed commits by a ruleset with ${app} on its bypass list, mode always, instead.`,
    ],
  ];
  const certain = all
    .filter(([holds]) => holds)
    .map(([, message, cure]) => ({ isCertain: true, message, cure: `${cure} ${url}` }));
  if (deployments === null || deployments.length === 0) return certain;
  // Somebody may deploy the commit of a bot branch before it lands.
  const message = `The protection of ${branch} requires deployments to succeed (${deployments.join(', ')}), so it may refuse landings.`;
  const cure = `Require the deployments by a ruleset with ${app} on its bypass list, mode always, instead.`;
  return [...certain, { isCertain: false, message, cure: `${cure} ${url}` }];
}
