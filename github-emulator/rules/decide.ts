// Decides whether GitHub's rules allow an actor to change a branch or tag by a push, a merged pull request or a
// deletion. The decision is pure: the caller reads the facts and carries the decision out.
import type { BypassActor, NamedActors, Protection, Rule, Ruleset } from './model.ts';
import { matchesPattern, matchesRefName } from './patterns.ts';
import { type CommitCheck, describeMissingChecks } from './required-checks.ts';

export interface Actor {
  readonly kind: 'user' | 'app';
  /** A person's login, or an App's slug. */
  readonly name: string;
  /** Null: a person. */
  readonly appId: number | null;
  readonly role: 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';
  readonly teams: readonly { readonly id: number; readonly slug: string }[];
  readonly organizationOwner: boolean;
}

export interface RefChange {
  /** Full name of the ref. */
  readonly ref: string;
  /** Null: the ref is created. */
  readonly from: string | null;
  /** Null: the ref is deleted. */
  readonly to: string | null;
  /** False: `from` is not an ancestor of `to`. */
  readonly fastForward: boolean;
  /** Commits that are new to the ref. */
  readonly newCommits: readonly { readonly sha: string; readonly parents: number; readonly verified: boolean }[];
  /** The checks of the pushed commit, or of the head of the merged pull request. */
  readonly checks: readonly CommitCheck[];
  /** The pull request that is merged. Null: a push. */
  readonly pullRequest: PullRequestFacts | null;
}

export interface PullRequestFacts {
  readonly approvals: number;
  readonly changesRequested: boolean;
  /** Whether the review of a code owner is missing. */
  readonly codeOwnerMissing: boolean;
  readonly unresolvedThreads: number;
  /** Whether a person other than the last pusher has approved. */
  readonly lastPushApproved: boolean;
  /** Whether the head contains the tip of its base branch. */
  readonly upToDate: boolean;
  readonly method: 'merge' | 'squash' | 'rebase';
}

export interface BranchRules {
  readonly defaultBranch: string;
  readonly protections: readonly Protection[];
  readonly rulesets: readonly Ruleset[];
}

export type RuleDecision =
  | { readonly kind: 'allowed'; readonly bypassed: readonly string[] }
  | { readonly kind: 'refused'; readonly code: 'GH006' | 'GH013'; readonly violations: readonly string[] };

interface Violation {
  readonly text: string;
  readonly exempt: boolean;
}

/** The sentence of a violation, followed by the commits that break the rule, in GitHub's format. */
function describeCommits(sentence: string, shas: readonly string[]): string[] {
  if (shas.length === 0) return [];
  const count = `Found ${shas.length} ${shas.length === 1 ? 'violation' : 'violations'}:`;
  return [[sentence, `  ${count}`, '', ...shas.map((sha) => `  ${sha}`)].join('\n')];
}

const mergeCommits = (change: RefChange) =>
  describeCommits(
    'This branch must not contain merge commits.',
    change.newCommits.filter((commit) => commit.parents > 1).map((commit) => commit.sha),
  );

const unsignedCommits = (change: RefChange) =>
  describeCommits(
    'Commits must have verified signatures.',
    change.newCommits.filter((commit) => !commit.verified).map((commit) => commit.sha),
  );

interface ReviewDemands {
  readonly approvals: number;
  readonly codeOwners: boolean;
  readonly lastPush: boolean;
  readonly threads: boolean;
  readonly methods: readonly string[];
}

function reviewViolations(change: RefChange, demands: ReviewDemands): string[] {
  const facts = change.pullRequest;
  if (facts === null) return ['Changes must be made through a pull request.'];
  const reviews = demands.approvals === 1 ? 'approving review is' : 'approving reviews are';
  return [
    ...(facts.approvals < demands.approvals
      ? [`At least ${demands.approvals} ${reviews} required by reviewers with write access.`]
      : []),
    ...(demands.approvals > 0 && facts.changesRequested ? ['Changes have been requested.'] : []),
    ...(demands.codeOwners && facts.codeOwnerMissing ? ['Waiting on code owner review.'] : []),
    ...(demands.lastPush && !facts.lastPushApproved
      ? ['New changes require approval from someone other than the last pusher.']
      : []),
    ...(demands.threads ? threadViolations(facts) : []),
    ...(demands.methods.includes(facts.method)
      ? []
      : [`The merge method "${facts.method}" is not allowed on this branch.`]),
  ];
}

const threadViolations = (facts: PullRequestFacts) =>
  facts.unresolvedThreads === 0 ? [] : ['A conversation must be resolved before this pull request can be merged.'];

const outOfDate = (change: RefChange, strict: boolean) =>
  strict && change.pullRequest?.upToDate === false ? ['The head branch is not up to date with the base branch.'] : [];

const optional = (text: string | null) => (text === null ? [] : [text]);

const allMethods = ['merge', 'squash', 'rebase'];

function ruleViolations(rule: Rule, change: RefChange): string[] {
  if (change.to === null) return rule.type === 'deletion' ? ['Cannot delete this branch'] : [];
  switch (rule.type) {
    case 'creation':
      return change.from === null ? ['Cannot create ref due to creations being restricted.'] : [];
    case 'update':
      return change.from === null ? [] : ['Cannot update this protected ref.'];
    case 'deletion':
      return [];
    case 'non_fast_forward':
      return change.fastForward ? [] : ['Cannot force-push to this branch'];
    case 'required_linear_history':
      return mergeCommits(change);
    case 'required_signatures':
      return unsignedCommits(change);
    case 'merge_queue':
      return ['Changes must be made through the merge queue'];
    case 'pull_request':
      return reviewViolations(change, {
        approvals: rule.parameters.required_approving_review_count,
        codeOwners: rule.parameters.require_code_owner_review,
        lastPush: rule.parameters.require_last_push_approval,
        threads: rule.parameters.required_review_thread_resolution,
        methods: rule.parameters.allowed_merge_methods ?? allMethods,
      });
    case 'required_status_checks': {
      if (change.from === null && rule.parameters.do_not_enforce_on_create === true) return [];
      const required = rule.parameters.required_status_checks.map((check) => ({
        context: check.context,
        appId: check.integration_id ?? null,
      }));
      return [
        ...optional(describeMissingChecks(required, change.checks)),
        ...outOfDate(change, rule.parameters.strict_required_status_checks_policy),
      ];
    }
    default:
      return rule satisfies never;
  }
}

// GitHub's ids of its base roles.
const roleIds = { admin: 5, write: 4, maintain: 2 } as const;

function isBypassActor(entry: BypassActor, actor: Actor): boolean {
  switch (entry.actor_type) {
    case 'Integration':
      return actor.appId !== null && actor.appId === entry.actor_id;
    case 'OrganizationAdmin':
      return actor.organizationOwner;
    case 'Team':
      return actor.teams.some((team) => team.id === entry.actor_id);
    case 'RepositoryRole':
      if (actor.kind === 'app') return false;
      if (entry.actor_id === roleIds.admin) return actor.role === 'admin';
      if (entry.actor_id === roleIds.maintain) return actor.role === 'admin' || actor.role === 'maintain';
      return entry.actor_id === roleIds.write && ['admin', 'maintain', 'write'].includes(actor.role);
    case 'DeployKey':
      return false;
    default:
      return entry.actor_type satisfies never;
  }
}

/** Whether an actor may bypass a ruleset. The mode `pull_request` counts only for merges of pull requests. */
export function bypassOf(ruleset: Ruleset, actor: Actor, merge: boolean): 'no' | 'always' | 'exempt' {
  const modes = ruleset.bypassActors.filter((entry) => isBypassActor(entry, actor)).map((entry) => entry.bypass_mode);
  if (modes.includes('exempt')) return 'exempt';
  return modes.includes('always') || (merge && modes.includes('pull_request')) ? 'always' : 'no';
}

export function isNamed(actor: Actor, named: NamedActors): boolean {
  if (actor.kind === 'app') return named.apps.includes(actor.name);
  return named.users.includes(actor.name) || actor.teams.some((team) => named.teams.includes(team.slug));
}

function checkViolations(change: RefChange, { checks, strict }: NonNullable<Protection['requiredChecks']>): string[] {
  return [...optional(describeMissingChecks(checks, change.checks)), ...outOfDate(change, strict)];
}

function protectionViolations(protection: Protection, actor: Actor, change: RefChange): Violation[] {
  if (change.to === null) {
    return protection.deletions ? [] : [{ text: 'Cannot delete this branch', exempt: false }];
  }
  // Admins are not exempt from the rules about force pushes and deletions. No App is exempt from required checks.
  const admin = !protection.enforceAdmins && actor.kind === 'user' && actor.role === 'admin';
  const mayPush = protection.restrictions === null || admin || isNamed(actor, protection.restrictions);
  const { requiredReviews: reviews, requiredChecks: checks } = protection;
  const violations = (texts: readonly string[], exempt: boolean) => texts.map((text) => ({ text, exempt }));
  const creation = change.from === null;
  return [
    ...violations(change.fastForward || protection.forcePushes ? [] : ['Cannot force-push to this branch'], false),
    ...violations(protection.lockBranch && !creation ? ['Cannot change this locked branch'] : [], admin),
    ...violations(
      reviews === null ? [] : reviewViolations(change, { ...reviews, threads: false, methods: allMethods }),
      admin || (reviews !== null && isNamed(actor, reviews.bypass)),
    ),
    ...violations(checks === null ? [] : checkViolations(change, checks), admin),
    ...violations(
      protection.conversationResolution && change.pullRequest !== null ? threadViolations(change.pullRequest) : [],
      admin,
    ),
    ...violations(protection.linearHistory ? mergeCommits(change) : [], admin),
    ...violations(protection.signatures ? unsignedCommits(change) : [], admin),
    ...violations(
      mayPush || (creation && !protection.blockCreations) ? [] : ["You're not authorized to push to this branch."],
      false,
    ),
  ];
}

/**
 * Returns the classic protection of a branch. It is the protection whose pattern is the exact name, or else the oldest
 * protection whose pattern matches.
 */
export function protectionOf(protections: readonly Protection[], branch: string): Protection | null {
  const exact = protections.find((protection) => protection.pattern === branch);
  return exact ?? protections.find((protection) => matchesPattern(protection.pattern, branch)) ?? null;
}

export function rulesetsOf(rules: BranchRules, ref: string): Ruleset[] {
  const target = ref.startsWith('refs/heads/') ? 'branch' : 'tag';
  if (target === 'tag' && !ref.startsWith('refs/tags/')) return [];
  return rules.rulesets.filter(
    (ruleset) =>
      ruleset.target === target &&
      ruleset.enforcement === 'active' &&
      matchesRefName(ruleset.conditions.ref_name, ref, rules.defaultBranch),
  );
}

/**
 * Decides a change of a ref. Rulesets and protection apply only to branches and tags, so every other ref is allowed.
 */
export function decideRefChange(rules: BranchRules, actor: Actor, change: RefChange): RuleDecision {
  const byRuleset = rulesetsOf(rules, change.ref)
    .map((ruleset) => ({ ruleset, bypass: bypassOf(ruleset, actor, change.pullRequest !== null) }))
    .filter(({ bypass }) => bypass !== 'exempt')
    .flatMap(({ ruleset, bypass }) =>
      ruleset.rules
        .flatMap((rule) => ruleViolations(rule, change))
        .map((text) => ({ text, exempt: bypass === 'always' })),
    );
  const branch = change.ref.startsWith('refs/heads/') ? change.ref.slice('refs/heads/'.length) : null;
  const protection = branch === null ? null : protectionOf(rules.protections, branch);
  const byProtection = protection === null ? [] : protectionViolations(protection, actor, change);
  const all = [...byRuleset, ...byProtection];
  const violations = [...new Set(all.filter((violation) => !violation.exempt).map((violation) => violation.text))];
  if (violations.length === 0) {
    return { kind: 'allowed', bypassed: [...new Set(all.map((violation) => violation.text))] };
  }
  const code = byRuleset.some((violation) => !violation.exempt) ? 'GH013' : 'GH006';
  return { kind: 'refused', code, violations };
}
