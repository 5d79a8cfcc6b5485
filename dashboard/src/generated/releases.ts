/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** An action that needs a permission. */
export type Action =
  /** Change the people and webhooks of an account, and the links for screens of a repository. */
  | 'ADMINISTER'
  /** Backport a pull request to another branch. */
  | 'BACKPORT'
  /** Replace the configuration. */
  | 'CONFIGURE'
  /** Deploy to an environment, cancel a deployment, or report one. */
  | 'DEPLOY'
  /** Take a pull request out of the queue. */
  | 'DEQUEUE'
  /** Freeze base branches or an environment, now or by a schedule, or end a freeze. */
  | 'FREEZE'
  /** Halt a queue, or resume it. */
  | 'HALT'
  /** Pause a repository or its base branches, or end the pause. */
  | 'PAUSE'
  /** Queue a pull request. */
  | 'QUEUE'
  /** Read a pull request from the code host. */
  | 'REFRESH'
  /** Reset every build of a queue. */
  | 'RESET_QUEUE'
  /** Build a pull request again. */
  | 'RETRY_BUILD'
  /** Roll an environment back. */
  | 'ROLL_BACK'
  /** Queue a pull request at the front of the line. */
  | 'SKIP_LINE'
  /** Merge a pull request without validation. */
  | 'SKIP_VALIDATION'
  /** Create a runbook. */
  | 'START_RUNBOOK'
  /** Merge the base branch into a pull request. */
  | 'SYNC'
  /** Change the settings of an environment. */
  | 'UPDATE_ENVIRONMENT'
  /** Verify the head of a pull request. */
  | 'VERIFY';

/** A deployment to create (interface 4.8). */
export type CreateDeploymentInput = {
  /** Name of the environment. */
  environment: string;
  /** True: the deployment starts even if the environment is frozen. */
  force?: boolean;
  /** The candidate that the caller expects to run in the environment. If another candidate runs there, the request is refused with CONFLICT. So the change has the effects that its preview showed. Left out: this is not checked. */
  ifRunning?: string | null | undefined;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The release project. */
  project: string;
  /** True: the active deployments of the environment are canceled. False: the new deployment waits in line behind them. */
  supersede?: boolean;
  /** The candidate to deploy. It must be ready. */
  version: string;
};

/** A release candidate to create (interface 4.8). */
export type CreateReleaseInput = {
  /** The full id of the commit. */
  commit: string;
  /** The release project. */
  project: string;
  /** The repository of the project, as `<owner>/<name>`. */
  repository: string;
  /** True: the build of the project is started. Otherwise the candidate is ready at once. */
  triggerBuildWorkflow?: boolean | null | undefined;
  /** The version of the candidate: `<release version>-rc<number>`. */
  version: string;
};

/** Whether a deployment is a rollback. */
export type DeploymentKind =
  /** Deploys a candidate that a user named. */
  | 'FORWARD'
  /** Deploys the candidate that ran in the environment before. */
  | 'ROLLBACK';

/** Status of a deployment (interface 3.2). */
export type DeploymentStatus =
  /** The deployment was canceled before or after its start. */
  | 'CANCELED'
  /** The deployment was asked to stop, and has not ended yet. */
  | 'CANCELING'
  /** The deployment could not be started, or its end was never reported. */
  | 'ERROR'
  /** The provider deployed, and reported a failure. */
  | 'FAILURE'
  /** The provider is deploying. */
  | 'IN_PROGRESS'
  /** The deployment waits in line. */
  | 'PENDING'
  /** The deployment succeeded, and the candidate runs in the environment. */
  | 'SUCCESS'
  /** No report arrived within the time limit. Other deployments no longer wait for it. */
  | 'UNKNOWN';

/** The purpose of an environment. The tier is only shown. No decision depends on it (interface 2.11). */
export type EnvironmentTier =
  /** To try out unfinished work. */
  | 'DEVELOPMENT'
  /** For another purpose, or no purpose was given. */
  | 'OTHER'
  /** For the users of the software. */
  | 'PRODUCTION'
  /** To check a candidate under the conditions of production. */
  | 'STAGING'
  /** To test candidates. */
  | 'TESTING';

/** An environment to which nothing is deployed from now on. */
export type FreezeEnvironmentInput = {
  /** The end. Left out: the freeze lasts until a user ends it. */
  endsAt?: string | null | undefined;
  /** Name of the environment. */
  environment: string;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The release project. */
  project: string;
  /** The reason, at most 1,000 characters. */
  reason?: string | null | undefined;
};

/** The kind of system that carries out deployments or builds. */
export type ProviderKind =
  /** A command, which runs in a worktree of the commit. */
  | 'COMMAND'
  /** A workflow of the repository at its code host, which Interlock dispatches on the commit. */
  | 'GITHUB_ACTIONS'
  /** A system that receives signed POST requests. It reports the result, or Interlock queries it. */
  | 'HTTP'
  /** An outside pipeline, which reports the results. */
  | 'NONE';

/** Whether a candidate can be deployed. */
export type ReleaseCandidateStatus =
  /** The candidate is being built. */
  | 'BUILDING'
  /** The build failed, and the candidate can never be deployed. */
  | 'FAILED'
  /** The candidate can be deployed. */
  | 'READY';

/** An environment to roll back (interface 4.8). */
export type RollBackEnvironmentInput = {
  /** Name of the environment. */
  environment: string;
  /** True: the deployment starts even if the environment is frozen. */
  force?: boolean;
  /** The candidate that the caller expects to run in the environment. If another candidate runs there, the request is refused with CONFLICT. So the change has the effects that its preview showed. Left out: this is not checked. */
  ifRunning?: string | null | undefined;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The release project. */
  project: string;
};

/** An environment whose manual freezes and freezes after rollbacks end. */
export type UnfreezeEnvironmentInput = {
  /** Name of the environment. */
  environment: string;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The release project. */
  project: string;
};

export type ReleaseProjectsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ReleaseProjectsQuery = { releaseProjects: { nodes: Array<{ id: string, name: string, repository: { id: string, owner: string, name: string }, environments: Array<{ id: string, name: string, running: { since: string, releaseCandidate: { id: string, version: string } } | null }> }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type ReleasesQueryVariables = Exact<{
  project: string;
  first: number;
  deployments: number;
}>;


export type ReleasesQuery = { releaseProject: { id: string, name: string, repository: { id: string, owner: string, name: string, defaultBranch: string }, build: { kind: ProviderKind } | null, unreleased: { commitCount: number, complete: boolean, pullRequests: Array<{ id: string, number: number, title: string }> } | null, environments: Array<{ id: string, name: string, position: number, tier: EnvironmentTier, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }>, provider: { kind: ProviderKind }, running: { since: string, releaseCandidate: { id: string, version: string, commit: string } } | null, frozen: { sentence: string, until: string | null } | null, rollback: { releaseCandidate: { id: string, version: string } } | null, deployments: { nodes: Array<{ id: string, kind: DeploymentKind, status: DeploymentStatus, temporalUrl: string | null, actor: string, createdAt: string, deployStartAt: string | null, deployEndAt: string | null, errorMessage: string | null, releaseCandidateVersion: string }>, pageInfo: { hasNextPage: boolean } } }>, releaseCandidates: { nodes: Array<{ id: string, version: string, status: ReleaseCandidateStatus, commit: string, createdAt: string, actor: string, errorMessage: string | null }>, pageInfo: { hasNextPage: boolean } } } | null };

export type RollbackChangelogQueryVariables = Exact<{
  project: string;
  environment: string;
}>;


export type RollbackChangelogQuery = { releaseProject: { id: string, environment: { id: string, freezeAfterRollback: boolean, freezeAfterRollbackSec: number | null, running: { releaseCandidate: { id: string, version: string } } | null, rollback: { releaseCandidate: { id: string, version: string }, changelog: { removed: { pullRequests: Array<{ id: string, number: number, title: string, author: string }> } } } | null } | null } | null };

export type ReleaseProjectChangedSubscriptionVariables = Exact<{
  project: string;
  after?: string | null | undefined;
}>;


export type ReleaseProjectChangedSubscription = { releaseProjectChanged: { action: string, cursor: string } };

export type TipToCutQueryVariables = Exact<{
  owner: string;
  name: string;
  branch: string;
}>;


export type TipToCutQuery = { repository: { id: string, queue: { id: string, baseTip: string | null } | null } | null };

export type DeploymentLogSubscriptionVariables = Exact<{
  deployment: string | number;
  after?: string | null | undefined;
}>;


export type DeploymentLogSubscription = { deploymentLog: { text: string, cursor: string } };

export type EarlierDeploymentLogQueryVariables = Exact<{
  deployment: string | number;
  before?: string | null | undefined;
}>;


export type EarlierDeploymentLogQuery = { node:
    | { __typename: 'ApiToken' }
    | { __typename: 'Batch' }
    | { __typename: 'BotPullRequest' }
    | { __typename: 'Deployment', id: string, log: { nodes: Array<{ text: string, cursor: string }>, pageInfo: { hasPreviousPage: boolean } } }
    | { __typename: 'EmbedLink' }
    | { __typename: 'Environment' }
    | { __typename: 'Freeze' }
    | { __typename: 'PreviewImage' }
    | { __typename: 'PreviewRegistration' }
    | { __typename: 'PreviewSecret' }
    | { __typename: 'PullRequest' }
    | { __typename: 'Queue' }
    | { __typename: 'Release' }
    | { __typename: 'ReleaseCandidate' }
    | { __typename: 'ReleaseProject' }
    | { __typename: 'Repository' }
    | { __typename: 'Runbook' }
    | { __typename: 'SlackDestination' }
    | { __typename: 'Team' }
    | { __typename: 'User' }
    | { __typename: 'Verification' }
    | { __typename: 'WebhookDelivery' }
    | { __typename: 'WebhookEndpoint' }
   | null };

export type BuildLogSubscriptionVariables = Exact<{
  project: string;
  version: string;
  after?: string | null | undefined;
}>;


export type BuildLogSubscription = { buildLog: { text: string, cursor: string } };

export type EarlierBuildLogQueryVariables = Exact<{
  project: string;
  version: string;
  before?: string | null | undefined;
}>;


export type EarlierBuildLogQuery = { releaseProject: { id: string, releaseCandidate: { id: string, log: { nodes: Array<{ text: string, cursor: string }>, pageInfo: { hasPreviousPage: boolean } } } | null } | null };

export type CreateReleaseMutationVariables = Exact<{
  input: CreateReleaseInput;
}>;


export type CreateReleaseMutation = { createRelease: { releaseCandidate: { id: string, version: string, status: ReleaseCandidateStatus } } };

export type CreateDeploymentMutationVariables = Exact<{
  input: CreateDeploymentInput;
}>;


export type CreateDeploymentMutation = { createDeployment: { deployment: { id: string, status: DeploymentStatus }, impact: { sentence: string } | null } };

export type RollBackEnvironmentMutationVariables = Exact<{
  input: RollBackEnvironmentInput;
}>;


export type RollBackEnvironmentMutation = { rollBackEnvironment: { deployment: { id: string, status: DeploymentStatus }, impact: { sentence: string, cancels: Array<{ id: string }>, waitsFor: Array<{ id: string }> } | null } };

export type FreezeEnvironmentMutationVariables = Exact<{
  input: FreezeEnvironmentInput;
}>;


export type FreezeEnvironmentMutation = { freezeEnvironment: { impact: { sentence: string } | null } };

export type UnfreezeEnvironmentMutationVariables = Exact<{
  input: UnfreezeEnvironmentInput;
}>;


export type UnfreezeEnvironmentMutation = { unfreezeEnvironment: { deleted: number, impact: { sentence: string } | null } };


export const ReleaseProjectsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReleaseProjects"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProjects"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"environments"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"running"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]} as unknown as DocumentNode<ReleaseProjectsQuery, ReleaseProjectsQueryVariables>;
export const ReleasesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Releases"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"deployments"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PageSize"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProject"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}}]}},{"kind":"Field","name":{"kind":"Name","value":"build"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}}]}},{"kind":"Field","name":{"kind":"Name","value":"unreleased"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"commitCount"}},{"kind":"Field","name":{"kind":"Name","value":"complete"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"environments"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"tier"}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"provider"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}}]}},{"kind":"Field","name":{"kind":"Name","value":"running"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"frozen"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"until"}}]}},{"kind":"Field","name":{"kind":"Name","value":"rollback"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"deployments"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"deployments"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"temporalUrl"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"deployStartAt"}},{"kind":"Field","name":{"kind":"Name","value":"deployEndAt"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidates"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ReleasesQuery, ReleasesQueryVariables>;
export const RollbackChangelogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"RollbackChangelog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"environment"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProject"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"environment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"environment"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"freezeAfterRollback"}},{"kind":"Field","name":{"kind":"Name","value":"freezeAfterRollbackSec"}},{"kind":"Field","name":{"kind":"Name","value":"running"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"rollback"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}},{"kind":"Field","name":{"kind":"Name","value":"changelog"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"removed"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"author"}}]}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<RollbackChangelogQuery, RollbackChangelogQueryVariables>;
export const ReleaseProjectChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"ReleaseProjectChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProjectChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"project"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<ReleaseProjectChangedSubscription, ReleaseProjectChangedSubscriptionVariables>;
export const TipToCutDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TipToCut"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"baseTip"}}]}}]}}]}}]} as unknown as DocumentNode<TipToCutQuery, TipToCutQueryVariables>;
export const DeploymentLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DeploymentLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"deployment"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deploymentLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"deployment"},"value":{"kind":"Variable","name":{"kind":"Name","value":"deployment"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<DeploymentLogSubscription, DeploymentLogSubscriptionVariables>;
export const EarlierDeploymentLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EarlierDeploymentLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"deployment"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"deployment"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"log"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<EarlierDeploymentLogQuery, EarlierDeploymentLogQueryVariables>;
export const BuildLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"BuildLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"version"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReleaseCandidateVersion"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"buildLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"project"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}},{"kind":"Argument","name":{"kind":"Name","value":"version"},"value":{"kind":"Variable","name":{"kind":"Name","value":"version"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<BuildLogSubscription, BuildLogSubscriptionVariables>;
export const EarlierBuildLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EarlierBuildLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"version"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReleaseCandidateVersion"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProject"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"version"},"value":{"kind":"Variable","name":{"kind":"Name","value":"version"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"log"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<EarlierBuildLogQuery, EarlierBuildLogQueryVariables>;
export const CreateReleaseDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRelease"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateReleaseInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRelease"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<CreateReleaseMutation, CreateReleaseMutationVariables>;
export const CreateDeploymentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateDeployment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateDeploymentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createDeployment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deployment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<CreateDeploymentMutation, CreateDeploymentMutationVariables>;
export const RollBackEnvironmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RollBackEnvironment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RollBackEnvironmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rollBackEnvironment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deployment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"cancels"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"waitsFor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]}}]} as unknown as DocumentNode<RollBackEnvironmentMutation, RollBackEnvironmentMutationVariables>;
export const FreezeEnvironmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"FreezeEnvironment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"FreezeEnvironmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freezeEnvironment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<FreezeEnvironmentMutation, FreezeEnvironmentMutationVariables>;
export const UnfreezeEnvironmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UnfreezeEnvironment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UnfreezeEnvironmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unfreezeEnvironment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleted"}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<UnfreezeEnvironmentMutation, UnfreezeEnvironmentMutationVariables>;