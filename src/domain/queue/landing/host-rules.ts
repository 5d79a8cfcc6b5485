// Decides what the rules of a code host mean for landings on a base branch. The rules are read before a landing is
// tried, because a refusal would block pull requests that have no fault.
import { isServiceCheck } from '../evidence/service-checks.ts';
import type { QueueRules } from '../model/rules.ts';

/** The rules of a base branch, as the port of a code host reads them (`BaseRules`). */
export interface HostRules {
  readonly push: 'free' | 'checked' | 'refused';
  /** The rule that refuses landings, or may refuse them, and what to change. Null: there is no such rule. */
  readonly why: string | null;
  readonly linear: boolean;
  readonly signed: boolean;
  /**
   * If `push` is `checked`: the checks that a commit must have passed before the host accepts the commit. Absent: none.
   */
  readonly enforcedChecks?: readonly string[];
  /** How the rules `linear` and `checked` can be changed at the host: clauses that follow the word "or". */
  readonly cures?: { readonly linear?: string; readonly checks?: string };
  /**
   * For required checks that count only if certain apps report them, the ids of these apps at the host. Absent: none.
   */
  readonly pinned?: Readonly<Record<string, readonly string[]>>;
}

interface Landings {
  readonly baseBranch: string;
  readonly rules: Pick<QueueRules, 'mode' | 'strategy' | 'batchCommit'>;
  /** Whether the merge call of the host lands each pull request. Other rules apply to this call than to a push. */
  readonly isMergedByHost: boolean;
}

/** Why the host would refuse every landing, and what to change, in whole sentences. Null: the host accepts landings. */
export function decideHostHold(host: HostRules | null, landings: Landings): string | null {
  if (host === null) return null;
  const { baseBranch, rules, isMergedByHost } = landings;
  const merges = host.linear ? mergeCommitsOf(landings) : null;
  if (merges !== null)
    return `The code host takes no merge commits on ${baseBranch}, and ${merges.what}. Set ${merges.cure}, or ${host.cures?.linear ?? 'remove the rule.'}`;
  if (isMergedByHost) return null;
  if (host.push === 'refused') return `The code host takes no landing on ${baseBranch}. ${host.why ?? ''}`.trim();
  if (host.push === 'checked' && rules.mode !== 'parallel')
    return `The code host takes only commits with passed checks on ${baseBranch}, and the mode ${modeNames[rules.mode]} lands commits that CI never saw. Set merge_mode.type to parallel, or ${host.cures?.checks ?? 'permit Interlock to bypass the required checks.'}`;
  const own = host.push === 'checked' ? (host.enforcedChecks ?? []).filter(isServiceCheck) : [];
  if (own.length > 0)
    return `The code host takes only commits with the check ${own.join(' and ')} on ${baseBranch}, and Interlock reports it on the heads of pull requests alone. Require it by preconditions.required_checks instead, or ${host.cures?.checks ?? 'permit Interlock to bypass the required checks.'}`;
  return null;
}

/**
 * The reason of the halt of a queue, after the host refused a landing by a rule that refuses every landing, although the
 * host does not show the rule, or does not show that it binds Interlock. `message` is the host's.
 */
export function branchRefusalHaltText(
  baseBranch: string,
  { message, why }: { readonly message: string; readonly why: string | null },
): string {
  const cure = why ?? 'Permit Interlock to bypass the rule.';
  return `${branchRefusalStart} ${baseBranch}: ${message}. ${cure} The queue resumes when the rules of the branch change. If it does not, resume it.`;
}

export function isBranchRefusalHalt(haltedReason: string | null | undefined): boolean {
  return haltedReason?.startsWith(`${branchRefusalStart} `) ?? false;
}

const branchRefusalStart = 'The code host refuses every landing on';

const modeNames = { serial: 'default', 'no-queue': 'no-queue' } as const;

/**
 * The configuration key that makes landings contain merge commits, and how to change it. Null: landings contain no
 * merge commits.
 */
export function mergeCommitsOf({ rules, isMergedByHost }: Pick<Landings, 'rules' | 'isMergedByHost'>): {
  readonly what: string;
  readonly key: readonly string[];
  readonly cure: string;
} | null {
  if (rules.strategy === 'merge')
    return {
      what: 'merge_strategy.name is merge',
      key: ['merge_rules', 'merge_strategy', 'name'],
      cure: 'merge_strategy.name to squash or rebase',
    };
  if (!isMergedByHost && rules.batchCommit === 'group')
    return {
      what: 'merge_strategy.batch_commit: group joins several commits by a merge commit',
      key: ['merge_rules', 'merge_strategy', 'batch_commit'],
      cure: 'merge_strategy.batch_commit to linear',
    };
  return null;
}

/**
 * Whether the host requires passed checks of each commit, so that only a commit that was built itself can land. Builds
 * of other commits with the same tree, and builds of parts, are no evidence then.
 */
export function landsBuiltCommitsOnly(
  host: HostRules | null,
  { isMergedByHost }: Pick<Landings, 'isMergedByHost'>,
): boolean {
  return host?.push === 'checked' && !isMergedByHost;
}
