// Classic protection and rulesets, and what they allow the actor.
import { nodeIdOf } from '../model/ids.ts';
import type { BranchProtection, Repository, Ruleset } from '../model/types.ts';
import { isNamed, protectionOf, rulesetsOf } from '../rules/decide.ts';
import { readActor } from '../rules/facts.ts';
import type { NamedActors, Protection, Rule } from '../rules/model.ts';
import { readProtection, readRuleset, rulesOfRepository } from '../rules/settings.ts';
import { findAccount, fullNameOf } from '../http/reach.ts';
import { viewAccount, viewApp, viewAppOf } from './accounts.ts';
import { connect } from './connection.ts';
import { enumOf, mayPush, type ViewContext, type View } from './view-context.ts';

function rowsOf({ core }: ViewContext, repository: Repository): BranchProtection[] {
  return core.state.protections.filter((each) => each.repositoryId === repository.id);
}

/** What classic protection requires of the actor. Null: no classic protection applies to the branch. */
export function viewRefRule(context: ViewContext, repository: Repository, branch: string): View | null {
  const protection = protectionOf(rowsOf(context, repository).map(readProtection), branch);
  if (protection === null) return null;
  const actor = readActor(context.core, context.actor, repository);
  const isFree = protection.restrictions === null || isNamed(actor, protection.restrictions);
  const isAdmin = !protection.enforceAdmins && actor.kind === 'user' && actor.role === 'admin';
  return {
    __typename: 'RefUpdateRule',
    pattern: protection.pattern,
    allowsDeletions: protection.deletions,
    allowsForcePushes: protection.forcePushes,
    blocksCreations: protection.blockCreations,
    requiredApprovingReviewCount: protection.requiredReviews?.approvals ?? null,
    requiredStatusCheckContexts: (protection.requiredChecks?.checks ?? []).map(({ context }) => context),
    requiresCodeOwnerReviews: protection.requiredReviews?.codeOwners ?? false,
    requiresConversationResolution: protection.conversationResolution,
    requiresLinearHistory: protection.linearHistory,
    requiresSignatures: protection.signatures,
    viewerAllowedToDismissReviews: isAdmin,
    viewerCanPush: mayPush(context, repository) && (isFree || isAdmin),
  };
}

/** The rules of rulesets that apply to the ref. They are also listed for actors who may bypass them. */
export function viewRulesOf(
  context: ViewContext,
  repository: Repository,
  { ref, given }: { readonly ref: string; readonly given: object },
): object {
  const rows = rulesetsOf(rulesOfRepository(context.core, repository), ref).flatMap(({ id, rules }) =>
    rules.map((rule) => ({ id, rule })),
  );
  return connect('rules', given, rows, ({ id, rule }) => ({
    __typename: 'RepositoryRule',
    id: nodeIdOf('rulesets', id, rule.type),
    type: rule.type.toUpperCase(),
    parameters: viewParameters(rule),
  }));
}

/**
 * The parameters of a rule. Only the parameters of the rule `pull_request` have fields. Those of other rules have only
 * their type.
 */
function viewParameters(rule: Rule): View | null {
  if (!('parameters' in rule) || rule.parameters === undefined) return null;
  if (rule.type !== 'pull_request') return { __typename: parameterTypes[rule.type] };
  const { parameters } = rule;
  return {
    __typename: 'PullRequestParameters',
    allowedMergeMethods: parameters.allowed_merge_methods ?? null,
    dismissStaleReviewsOnPush: parameters.dismiss_stale_reviews_on_push,
    requireCodeOwnerReview: parameters.require_code_owner_review,
    requireLastPushApproval: parameters.require_last_push_approval,
    requiredApprovingReviewCount: parameters.required_approving_review_count,
    requiredReviewThreadResolution: parameters.required_review_thread_resolution,
  };
}

const parameterTypes = {
  update: 'UpdateParameters',
  required_status_checks: 'RequiredStatusChecksParameters',
  merge_queue: 'MergeQueueParameters',
} as const;

export function viewProtectionOf(context: ViewContext, repository: Repository, branch: string): View | null {
  const rows = rowsOf(context, repository);
  const found = protectionOf(rows.map(readProtection), branch);
  const row = rows.find(({ id }) => id === found?.id);
  return row === undefined ? null : viewProtection(context, repository, row);
}

export function viewProtections(context: ViewContext, repository: Repository, given: object): object {
  return connect('branchProtectionRules', given, rowsOf(context, repository), (row) =>
    viewProtection(context, repository, row),
  );
}

export function viewProtection(context: ViewContext, repository: Repository, row: BranchProtection): View {
  const protection = readProtection(row);
  const { requiredChecks, requiredReviews, restrictions } = protection;
  const none: NamedActors = { users: [], teams: [], apps: [] };
  return {
    __typename: 'BranchProtectionRule',
    id: nodeIdOf('protections', row.id),
    databaseId: row.id,
    pattern: row.pattern,
    repository: () => context.views.repository(repository),
    creator: null,
    isAdminEnforced: protection.enforceAdmins,
    allowsDeletions: protection.deletions,
    allowsForcePushes: protection.forcePushes,
    blocksCreations: protection.blockCreations,
    lockBranch: protection.lockBranch,
    lockAllowsFetchAndMerge: false,
    requiresStatusChecks: requiredChecks !== null,
    requiresStrictStatusChecks: requiredChecks?.strict ?? false,
    requiredStatusCheckContexts: (requiredChecks?.checks ?? []).map(({ context }) => context),
    requiredStatusChecks: () =>
      (requiredChecks?.checks ?? []).map(({ context: name, appId }) => ({
        __typename: 'RequiredStatusCheckDescription',
        context: name,
        app: () => viewAppOf(context, appId),
      })),
    requiresApprovingReviews: requiredReviews !== null,
    requiredApprovingReviewCount: requiredReviews?.approvals ?? null,
    requiresCodeOwnerReviews: requiredReviews?.codeOwners ?? false,
    requireLastPushApproval: requiredReviews?.lastPush ?? false,
    dismissesStaleReviews: requiredReviews?.dismissStale ?? false,
    requiresConversationResolution: protection.conversationResolution,
    requiresLinearHistory: protection.linearHistory,
    requiresCommitSignatures: protection.signatures,
    requiresDeployments: protection.deployments.length > 0,
    requiredDeploymentEnvironments: protection.deployments,
    restrictsPushes: restrictions !== null,
    restrictsReviewDismissals: false,
    pushAllowances: (given: object) =>
      connect('pushAllowances', given, actorsOf(context, restrictions ?? none), (actor) => ({
        __typename: 'PushAllowance',
        id: nodeIdOf('protections', row.id, 'push'),
        actor,
      })),
    bypassPullRequestAllowances: (given: object) =>
      connect('bypassPullRequestAllowances', given, actorsOf(context, requiredReviews?.bypass ?? none), (actor) => ({
        __typename: 'BypassPullRequestAllowance',
        id: nodeIdOf('protections', row.id, 'bypass'),
        actor,
      })),
    matchingRefs: async (given: object) => await viewMatching(context, repository, { protection, given }),
  };
}

async function viewMatching(
  context: ViewContext,
  repository: Repository,
  { protection, given }: { readonly protection: Protection; readonly given: object },
) {
  const refs = await context.core.git.listRefs(repository, 'refs/heads/');
  const rows = [...refs].filter(([ref]) => protectionOf([protection], ref.replace('refs/heads/', '')) !== null);
  return connect('matchingRefs', given, rows, ([ref, sha]) => context.views.ref(repository, ref, sha));
}

function actorsOf(context: ViewContext, named: NamedActors): View[] {
  const { core } = context;
  const users = named.users.map((login) => findAccount(core, login)).filter((each) => each !== undefined);
  const apps = named.apps
    .map((slug) => core.state.apps.find((each) => each.slug === slug))
    .filter((each) => each !== undefined);
  return [...users.map((each) => viewAccount(context, each)), ...apps.map((each) => viewApp(context, each))];
}

export function viewRuleset(context: ViewContext, repository: Repository, row: Ruleset): View {
  const ruleset = readRuleset(row);
  const { include, exclude } = ruleset.conditions.ref_name;
  return {
    __typename: 'RepositoryRuleset',
    id: nodeIdOf('rulesets', row.id),
    databaseId: row.id,
    name: row.name,
    target: enumOf(row.target),
    enforcement: enumOf(row.enforcement),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    source: () => context.views.repository(repository),
    conditions: {
      refName: { include, exclude },
      repositoryId: null,
      repositoryName: null,
      repositoryProperty: null,
    },
    rules: (given: object) =>
      connect('rules', given, ruleset.rules, (rule) => ({
        __typename: 'RepositoryRule',
        id: nodeIdOf('rulesets', row.id, rule.type),
        type: enumOf(rule.type),
      })),
    resourcePath: `/${fullNameOf(context.core, repository)}/rules/${row.id}`,
  };
}
