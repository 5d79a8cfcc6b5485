// Classic branch protection and rulesets, in the structure of GitHub's REST API.
import type { RefNameCondition } from './patterns.ts';

export interface RequiredCheck {
  readonly context: string;
  /** The id of the only App whose check counts. Null: checks of every App and statuses count. */
  readonly appId: number | null;
}

/** The people, teams and Apps in a rule, by their logins and slugs. */
export interface NamedActors {
  readonly users: readonly string[];
  readonly teams: readonly string[];
  readonly apps: readonly string[];
}

export interface RequiredReviews {
  readonly approvals: number;
  readonly dismissStale: boolean;
  readonly codeOwners: boolean;
  readonly lastPush: boolean;
  readonly bypass: NamedActors;
}

export interface Protection {
  readonly id: number;
  readonly pattern: string;
  readonly requiredChecks: { readonly strict: boolean; readonly checks: readonly RequiredCheck[] } | null;
  readonly requiredReviews: RequiredReviews | null;
  /** Who may push. Null: every actor with write access. */
  readonly restrictions: NamedActors | null;
  readonly enforceAdmins: boolean;
  readonly linearHistory: boolean;
  readonly signatures: boolean;
  readonly forcePushes: boolean;
  readonly deletions: boolean;
  readonly blockCreations: boolean;
  readonly conversationResolution: boolean;
  readonly lockBranch: boolean;
  /** The environments to which a commit must be deployed before the branch takes it. */
  readonly deployments: readonly string[];
}

export interface BypassActor {
  readonly actor_id: number | null;
  readonly actor_type: 'Integration' | 'OrganizationAdmin' | 'RepositoryRole' | 'Team' | 'DeployKey';
  readonly bypass_mode: 'always' | 'pull_request' | 'exempt';
}

export interface PullRequestParameters {
  readonly required_approving_review_count: number;
  readonly dismiss_stale_reviews_on_push: boolean;
  readonly require_code_owner_review: boolean;
  readonly require_last_push_approval: boolean;
  readonly required_review_thread_resolution: boolean;
  readonly allowed_merge_methods?: readonly ('merge' | 'squash' | 'rebase')[];
}

export interface RequiredChecksParameters {
  readonly strict_required_status_checks_policy: boolean;
  readonly do_not_enforce_on_create?: boolean;
  readonly required_status_checks: readonly { readonly context: string; readonly integration_id?: number }[];
}

export type Rule =
  | { readonly type: 'creation' | 'deletion' | 'non_fast_forward' | 'required_linear_history' | 'required_signatures' }
  | { readonly type: 'update'; readonly parameters?: { readonly update_allows_fetch_and_merge: boolean } }
  | { readonly type: 'pull_request'; readonly parameters: PullRequestParameters }
  | { readonly type: 'required_status_checks'; readonly parameters: RequiredChecksParameters }
  | { readonly type: 'merge_queue'; readonly parameters: Readonly<Record<string, unknown>> };

export const ruleTypes = [
  'creation',
  'update',
  'deletion',
  'required_linear_history',
  'merge_queue',
  'required_signatures',
  'pull_request',
  'required_status_checks',
  'non_fast_forward',
] as const satisfies readonly Rule['type'][];

export interface Ruleset {
  readonly id: number;
  readonly name: string;
  readonly target: 'branch' | 'tag' | 'push';
  readonly enforcement: 'active' | 'disabled' | 'evaluate';
  readonly bypassActors: readonly BypassActor[];
  readonly conditions: { readonly ref_name: RefNameCondition };
  readonly rules: readonly Rule[];
  readonly createdAt: number;
  readonly updatedAt: number;
}
