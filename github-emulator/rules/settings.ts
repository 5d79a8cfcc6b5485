// Turns the rows of protections and rulesets into the facts that `decide.ts` needs.
import type { Core } from '../core.ts';
import type { BranchProtection, Repository, Ruleset as RulesetRow } from '../model/types.ts';
import type { BranchRules } from './decide.ts';
import type { BypassActor, NamedActors, Protection, RequiredCheck, RequiredReviews, Rule, Ruleset } from './model.ts';

/**
 * The fields in the body of `PUT …/protection`. It has no field for required signatures, because GitHub has another
 * address for them, and none for required deployments, because only GraphQL and GitHub's pages have these.
 */
export interface ProtectionSettings {
  readonly required_status_checks?: {
    readonly strict?: boolean;
    readonly contexts?: readonly string[];
    readonly checks?: readonly { readonly context: string; readonly app_id?: number | null }[];
  } | null;
  readonly enforce_admins?: boolean | null;
  readonly required_pull_request_reviews?: {
    readonly dismiss_stale_reviews?: boolean;
    readonly require_code_owner_reviews?: boolean;
    readonly required_approving_review_count?: number;
    readonly require_last_push_approval?: boolean;
    readonly bypass_pull_request_allowances?: Partial<NamedActors>;
  } | null;
  readonly restrictions?: Partial<NamedActors> | null;
  readonly required_linear_history?: boolean;
  readonly required_signatures?: boolean;
  readonly allow_force_pushes?: boolean | null;
  readonly allow_deletions?: boolean;
  readonly block_creations?: boolean;
  readonly required_conversation_resolution?: boolean;
  readonly lock_branch?: boolean;
  /** The names of environments. */
  readonly required_deployments?: readonly string[];
}

/** The id in a request for a check that any App may report. GitHub stores it as null. */
const anyApp = -1;

export function checksOf(settings: ProtectionSettings['required_status_checks']): RequiredCheck[] {
  const { checks, contexts = [] } = settings ?? {};
  const given = checks ?? contexts.map((context) => ({ context }));
  return given.map((check) => {
    const appId = 'app_id' in check ? (check.app_id ?? null) : null;
    return { context: check.context, appId: appId === anyApp ? null : appId };
  });
}

function namedActors(given: Partial<NamedActors> | undefined): NamedActors {
  return { users: given?.users ?? [], teams: given?.teams ?? [], apps: given?.apps ?? [] };
}

function readReviews(given: ProtectionSettings['required_pull_request_reviews']): RequiredReviews | null {
  if (given === null || given === undefined) return null;
  return {
    approvals: given.required_approving_review_count ?? 1,
    dismissStale: given.dismiss_stale_reviews ?? false,
    codeOwners: given.require_code_owner_reviews ?? false,
    lastPush: given.require_last_push_approval ?? false,
    bypass: namedActors(given.bypass_pull_request_allowances),
  };
}

export function settingsOf(row: BranchProtection): ProtectionSettings {
  return row.settings;
}

export function readProtection(row: BranchProtection): Protection {
  const settings = settingsOf(row);
  const checks = settings.required_status_checks ?? null;
  return {
    id: row.id,
    pattern: row.pattern,
    requiredChecks: checks === null ? null : { strict: checks.strict ?? false, checks: checksOf(checks) },
    requiredReviews: readReviews(settings.required_pull_request_reviews),
    restrictions:
      settings.restrictions === null || settings.restrictions === undefined ? null : namedActors(settings.restrictions),
    enforceAdmins: settings.enforce_admins ?? false,
    linearHistory: settings.required_linear_history ?? false,
    signatures: settings.required_signatures ?? false,
    forcePushes: settings.allow_force_pushes ?? false,
    deletions: settings.allow_deletions ?? false,
    blockCreations: settings.block_creations ?? false,
    conversationResolution: settings.required_conversation_resolution ?? false,
    lockBranch: settings.lock_branch ?? false,
    deployments: settings.required_deployments ?? [],
  };
}

export function readRuleset(row: RulesetRow): Ruleset {
  const conditions = row.conditions as { ref_name?: { include?: string[]; exclude?: string[] } };
  return {
    id: row.id,
    name: row.name,
    target: row.target,
    enforcement: row.enforcement,
    bypassActors: row.bypassActors.map((each) => ({ bypass_mode: 'always', actor_id: null, ...each }) as BypassActor),
    conditions: {
      ref_name: {
        include: conditions.ref_name?.include ?? [],
        exclude: conditions.ref_name?.exclude ?? [],
      },
    },
    rules: row.rules as unknown as Rule[],
    createdAt: Date.parse(row.createdAt),
    updatedAt: Date.parse(row.updatedAt),
  };
}

/** Whether the plan of the account has neither protection nor rulesets for the repository. */
export function lacksRules(core: Core, repository: Repository): boolean {
  return core.faults.hasFreePlan() && repository.isPrivate;
}

export function rulesOfRepository(core: Core, repository: Repository): BranchRules {
  const hasRules = !lacksRules(core, repository);
  const isOfRepository = (row: { repositoryId: number }): boolean => hasRules && row.repositoryId === repository.id;
  return {
    defaultBranch: repository.defaultBranch,
    protections: core.state.protections.filter(isOfRepository).map(readProtection),
    rulesets: core.state.rulesets.filter(isOfRepository).map(readRuleset),
  };
}
