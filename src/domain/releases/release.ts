// The terms of releases: candidates, environments, and the statuses of a deployment.

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

/** How a deployment or a build is made. Its secrets are stored separately, encrypted. */
export type ProviderSettings =
  /** A pipeline outside the service deploys. Its reports give the result. */
  | { readonly kind: 'none' }
  /** The operator's shell text, run in a worktree of the commit in the sandbox. `timeoutSec` limits one run. */
  | { readonly kind: 'command'; readonly command: string; readonly timeoutSec: number }
  /**
   * A signed POST. An answer 2xx accepts the run, and a report ends it. `statusUrl`, if set, is asked in the meantime.
   */
  | { readonly kind: 'http'; readonly url: string; readonly statusUrl: string | null }
  /** A workflow of the repository at the code host, dispatched on the commit with the deployment's id. */
  | { readonly kind: 'github_actions'; readonly workflow: string };
export type ProviderKind = ProviderSettings['kind'];

/** Whether both settings address the same system, which knows the runs started under either. */
export function isSameProvider(one: ProviderSettings, other: ProviderSettings): boolean {
  if (one.kind === 'http' && other.kind === 'http') return one.url === other.url;
  if (one.kind === 'github_actions' && other.kind === 'github_actions') return one.workflow === other.workflow;
  return one.kind === other.kind;
}

export const freezeSources = ['manual', 'schedule', 'rollback'] as const;
export type FreezeSource = (typeof freezeSources)[number];
