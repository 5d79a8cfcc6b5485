// What GitHub demands of a base branch, judged before a landing meets it: pure (ADR 0071).
import type { BaseRules } from '../port.ts';

export interface RulesetFacts {
  readonly id: number;
  readonly name: string;
  /** Whether the App may pass by it. Null: GitHub does not say. */
  readonly bypasses: boolean | null;
  readonly url: string;
}

/** A rule of a ruleset that holds for the branch. */
export interface RuleFacts {
  readonly type: string;
  readonly rulesetId: number;
  readonly checks: readonly string[];
}

/** Classic protection of the branch. */
export interface ProtectionFacts {
  readonly requiredChecks: readonly string[];
  readonly requiresPullRequest: boolean;
  /** The App is on the list of those who need no pull request. */
  readonly skipsPullRequest: boolean;
  readonly restrictsPushes: boolean;
  readonly mayPush: boolean;
  readonly linear: boolean;
  readonly signed: boolean;
  readonly isLocked: boolean;
}

export interface BranchFacts {
  readonly branch: string;
  readonly app: string;
  readonly rules: readonly RuleFacts[];
  readonly rulesets: readonly RulesetFacts[];
  /** Null: the branch has no classic protection. */
  readonly protection: ProtectionFacts | null;
}

/** Rules that refuse every push of a commit, whatever it is. */
const closing = new Set([
  'update',
  'merge_queue',
  'pull_request',
  'required_deployments',
  'workflows',
  'code_scanning',
]);

export function judgeBaseRules(facts: BranchFacts): BaseRules {
  const { rules, protection } = facts;
  const binding = rules.filter((rule) => bypassOf(facts, rule) !== true);
  const names = [...rules.flatMap(({ checks }) => checks), ...(protection?.requiredChecks ?? [])];
  const refusing = binding.filter((rule) => closing.has(rule.type));
  const certain = refusing.filter((rule) => bypassOf(facts, rule) === false);
  const classic = classicRefusal(facts);
  const isChecked =
    binding.some(({ type }) => type === 'required_status_checks') || (protection?.requiredChecks.length ?? 0) > 0;
  const isRefused = certain.length > 0 || classic !== null;
  return {
    requiredChecks: [...new Set(names)],
    push: isRefused ? 'refused' : isChecked ? 'checked' : 'free',
    why: classic ?? sentenceOf(facts, certain[0] ?? refusing[0]),
    linear: binding.some(({ type }) => type === 'required_linear_history') || (protection?.linear ?? false),
    signed: binding.some(({ type }) => type === 'required_signatures') || (protection?.signed ?? false),
  };
}

function rulesetOf({ rulesets }: BranchFacts, { rulesetId }: RuleFacts): RulesetFacts | undefined {
  return rulesets.find(({ id }) => id === rulesetId);
}

function bypassOf(facts: BranchFacts, rule: RuleFacts): boolean | null {
  return rulesetOf(facts, rule)?.bypasses ?? null;
}

function sentenceOf(facts: BranchFacts, rule: RuleFacts | undefined): string | null {
  if (rule === undefined) return null;
  const ruleset = rulesetOf(facts, rule);
  const name = ruleset?.name ?? String(rule.rulesetId);
  const link = ruleset === undefined ? '' : ` ${ruleset.url}`;
  const verb = ruleset?.bypasses === false ? 'refuses' : 'may refuse';
  return `The rule ${rule.type} of the ruleset ${name} ${verb} landings on ${facts.branch}. Add ${facts.app} to the bypass list of the ruleset ${name}, mode always.${link}`;
}

/** Both lists are needed: who may push, and who needs no pull request. */
function classicRefusal({ protection, branch, app }: BranchFacts): string | null {
  if (protection === null) return null;
  if (protection.isLocked) return `The branch ${branch} is locked at GitHub. Unlock it in its protection.`;
  if (protection.restrictsPushes && !protection.mayPush)
    return `The protection of ${branch} restricts who can push. Add ${app} to that list.`;
  if (protection.requiresPullRequest && !protection.skipsPullRequest)
    return `The protection of ${branch} requires a pull request before merging. Add ${app} to "Allow specified actors to bypass required pull requests".`;
  return null;
}
