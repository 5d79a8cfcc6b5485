// Makes webhook bodies about deployments, release candidates and freezes (interface 6.6). A deployment or a candidate is
// as REST showed it at the time of the event.
import {
  candidateStatuses,
  deploymentStatuses,
  freezeSources,
  type CandidateStatus,
  type DeploymentStatus,
  type FreezeSource,
} from '../releases/release.ts';
import type { RepositoryName } from './payloads.ts';

export type DeploymentAction = `deployment_${DeploymentStatus}`;
export const deploymentActions: readonly DeploymentAction[] = deploymentStatuses.map(
  (status) => `deployment_${status}` as const,
);

export const candidateActions = ['candidate_created', 'candidate_ready', 'candidate_failed'] as const;
export type CandidateAction = (typeof candidateActions)[number];

export interface DeploymentFacts {
  readonly id: string;
  readonly project: string;
  readonly environment: string;
  readonly actor: string;
  readonly releaseVersion: string;
  readonly version: string;
  readonly fromReleaseVersion: string | null;
  readonly fromVersion: string | null;
  readonly status: DeploymentStatus;
  readonly errorMessage: string | null;
  /** The id of the deployment that this deployment rolls back. Null: it is not a rollback. */
  readonly rollbackOf: string | null;
  /** RFC 3339 in UTC, like the other times. */
  readonly createdAt: string;
  readonly deployStartAt: string | null;
  readonly deployEndAt: string | null;
  /** Whether the status was reported after the deployment had ended. */
  readonly lateUpdate: boolean;
}

export interface DeploymentPayload {
  readonly action: DeploymentAction;
  readonly repository: string;
  readonly organization: string;
  readonly deployment: Readonly<Record<string, string | null>>;
  readonly late_update?: true;
}

export function deploymentPayload(
  action: DeploymentAction,
  { owner, name }: RepositoryName,
  facts: DeploymentFacts,
): DeploymentPayload {
  return {
    action,
    repository: name,
    organization: owner,
    deployment: {
      id: facts.id,
      project: facts.project,
      environment_name: facts.environment,
      actor: facts.actor,
      release_version: facts.releaseVersion,
      release_candidate_version: facts.version,
      from_release_version: facts.fromReleaseVersion,
      from_release_candidate_version: facts.fromVersion,
      status: facts.status,
      error_message: facts.errorMessage,
      rollback_of: facts.rollbackOf,
      created_at: facts.createdAt,
      deploy_start_at: facts.deployStartAt,
      deploy_end_at: facts.deployEndAt,
    },
    ...(facts.lateUpdate && { late_update: true }),
  };
}

export interface CandidateFacts {
  readonly id: string;
  readonly project: string;
  readonly releaseVersion: string;
  readonly version: string;
  readonly commit: string;
  readonly status: CandidateStatus;
  readonly createdAt: string;
  readonly actor: string;
  /** Why the build of the candidate failed. */
  readonly errorMessage: string | null;
}

export interface CandidatePayload {
  readonly action: CandidateAction;
  readonly repository: string;
  readonly organization: string;
  readonly release_candidate: {
    readonly id: string;
    readonly project: string;
    readonly release_version: string;
    readonly release_candidate_version: string;
    readonly commit: string;
    readonly repository: { readonly org: string; readonly name: string };
    readonly status: CandidateStatus;
    readonly created_at: string;
    readonly actor: string;
  };
  readonly message?: string;
}

export function candidatePayload(
  action: CandidateAction,
  { owner, name }: RepositoryName,
  facts: CandidateFacts,
): CandidatePayload {
  return {
    action,
    repository: name,
    organization: owner,
    release_candidate: {
      id: facts.id,
      project: facts.project,
      release_version: facts.releaseVersion,
      release_candidate_version: facts.version,
      commit: facts.commit,
      repository: { org: owner, name },
      status: facts.status,
      created_at: facts.createdAt,
      actor: facts.actor,
    },
    ...(action === 'candidate_failed' && facts.errorMessage !== null && { message: facts.errorMessage }),
  };
}

export const environmentActions = ['environment_frozen', 'environment_unfrozen'] as const;
export type EnvironmentAction = (typeof environmentActions)[number];

export interface FreezeFacts {
  readonly source: FreezeSource;
  readonly reason: string | null;
  readonly createdBy: string;
  /** RFC 3339 in UTC. Null: until a person ends the freeze. */
  readonly until: string | null;
}

export interface EnvironmentFacts {
  readonly project: string;
  readonly environment: string;
  /** Null if the freeze has ended. */
  readonly freeze: FreezeFacts | null;
}

export interface EnvironmentPayload {
  readonly action: EnvironmentAction;
  readonly repository: string;
  readonly organization: string;
  readonly project: string;
  readonly environment_name: string;
  readonly freeze?: FreezePayload;
}

interface FreezePayload {
  readonly source: FreezeSource;
  readonly reason: string | null;
  readonly created_by: string;
  readonly until: string | null;
}

export function environmentPayload(
  action: EnvironmentAction,
  { owner, name }: RepositoryName,
  { project, environment, freeze }: EnvironmentFacts,
): EnvironmentPayload {
  return {
    action,
    repository: name,
    organization: owner,
    project,
    environment_name: environment,
    ...(freeze !== null && { freeze: freezePayload(freeze) }),
  };
}

export const baseBranchActions = ['base_branch_frozen', 'base_branch_unfrozen'] as const;
export type BaseBranchAction = (typeof baseBranchActions)[number];

export interface BaseBranchFacts {
  readonly baseBranch: string;
  /** Null if the freeze has ended. */
  readonly freeze: FreezeFacts | null;
}

export interface BaseBranchPayload {
  readonly action: BaseBranchAction;
  readonly repository: string;
  readonly organization: string;
  readonly base_branch: string;
  readonly freeze?: FreezePayload;
}

export function baseBranchPayload(
  action: BaseBranchAction,
  { owner, name }: RepositoryName,
  { baseBranch, freeze }: BaseBranchFacts,
): BaseBranchPayload {
  return {
    action,
    repository: name,
    organization: owner,
    base_branch: baseBranch,
    ...(freeze !== null && { freeze: freezePayload(freeze) }),
  };
}

function freezePayload({ source, reason, createdBy, until }: FreezeFacts): FreezePayload {
  return { source, reason, created_by: createdBy, until };
}

export function isFreezeSource(value: unknown): value is FreezeSource {
  return (freezeSources as readonly unknown[]).includes(value);
}

export function isDeploymentStatus(value: unknown): value is DeploymentStatus {
  return (deploymentStatuses as readonly unknown[]).includes(value);
}

export function isCandidateStatus(value: unknown): value is CandidateStatus {
  return (candidateStatuses as readonly unknown[]).includes(value);
}
