// The words of releases: what a candidate is, how an environment is deployed to, what a deployment goes through.

export const deploymentStatuses = [
  'pending',
  'in_progress',
  'success',
  'failure',
  'canceling',
  'canceled',
  'error',
  'unknown',
] as const;
export type DeploymentStatus = (typeof deploymentStatuses)[number];

export const candidateStatuses = ['building', 'ready', 'failed'] as const;
export type CandidateStatus = (typeof candidateStatuses)[number];

export const environmentTiers = ['development', 'testing', 'staging', 'production', 'other'] as const;
export type EnvironmentTier = (typeof environmentTiers)[number];

export type DeploymentKind = 'forward' | 'rollback';

/** How a deployment or a build is made. What is secret in it is kept apart, encrypted. */
export type ProviderSettings =
  /** Outside: somebody reports how it went. */
  | { readonly kind: 'none' }
  /** Shell text of the operator's, run in a worktree of the commit in the sandbox. `timeoutSec` bounds one run. */
  | { readonly kind: 'command'; readonly command: string; readonly timeoutSec: number }
  /** A signed POST; the answer 2xx takes it on, a report ends it. `statusUrl` is asked meanwhile where there is one. */
  | { readonly kind: 'http'; readonly url: string; readonly statusUrl: string | null }
  /** A workflow of the repository at the code host, dispatched on the commit with the deployment's id. */
  | { readonly kind: 'github_actions'; readonly workflow: string };
export type ProviderKind = ProviderSettings['kind'];

/** Whether both are the same system to deploy with, which knows the runs that were begun under either. */
export function isSameProvider(one: ProviderSettings, other: ProviderSettings): boolean {
  if (one.kind === 'http' && other.kind === 'http') return one.url === other.url;
  if (one.kind === 'github_actions' && other.kind === 'github_actions') return one.workflow === other.workflow;
  return one.kind === other.kind;
}

export const freezeSources = ['manual', 'schedule', 'rollback'] as const;
export type FreezeSource = (typeof freezeSources)[number];
