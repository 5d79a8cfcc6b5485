/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** A runbook to cancel. */
export type CancelRunbookInput = {
  /** The number of the runbook. */
  number: number;
  /** True: a dry run. Nothing changes, and `impact` says what would be stopped. */
  preview?: boolean;
};

/** The kinds of conditions that must hold before a pull request is merged. */
export type ConditionKind =
  /** It has as many approvals as are required. */
  | 'APPROVALS'
  /** Its merge is requested. */
  | 'ASKED'
  /** Its base branch is managed. */
  | 'BASE_BRANCH'
  /** Why rules of the code host for the base branch may refuse the landing, and what to change. Listed only if there are such rules. */
  | 'BASE_RULES'
  /** Whether its build is green, check by check. */
  | 'BUILD'
  /** One required check. */
  | 'CHECK'
  /** All review conversations are resolved. */
  | 'CONVERSATIONS'
  /** It is not a draft. */
  | 'DRAFT'
  /** The workflow that must succeed after its build has passed. */
  | 'FINAL_GATE'
  /** The code host shows the tip of its branch as its head. Listed only while the code host shows an older head. */
  | 'HEAD'
  /** The code host accepts requests, and Interlock has a copy of the repository. Listed only while this does not hold. */
  | 'HOST_ANSWERS'
  /** It has no label that blocks. */
  | 'LABELS'
  /** The conditions of the landing of a pull request that is first in line and has a green build. */
  | 'LANDING'
  /** Whether its own required checks allow its landing. */
  | 'LANDING_CHECKS'
  /** No conflict with its base branch is known. */
  | 'MERGEABLE'
  /** A merge window is open. */
  | 'MERGE_WINDOW'
  /** Its base branch is not frozen. */
  | 'NOT_FROZEN'
  /** Its queue is not halted. */
  | 'NOT_HALTED'
  /** Neither its base branch nor its repository is paused. */
  | 'NOT_PAUSED'
  /** It is open. */
  | 'OPEN'
  /** An owner of the changed code approved. Listed only while the code host says that this is missing. */
  | 'OWNER_REVIEW'
  /** The required checks of its own head passed. Each part of this condition is one check. */
  | 'OWN_CHECKS'
  /** Whether it is first in line. */
  | 'PLACE'
  /** The preconditions of entering the line, each of which is one of its conditions. */
  | 'PRECONDITIONS'
  /** Whether its queue works: it is neither halted nor paused. */
  | 'QUEUE'
  /** No reviewer wants changes. */
  | 'REVIEW'
  /** The pull request below it in its stack is in line before it. Listed only while this does not hold. */
  | 'STACK'
  /** One validation of the configuration. */
  | 'VALIDATION'
  /** The validations of the configuration hold. Each part of this condition is one validation. */
  | 'VALIDATIONS'
  /** The code host has verified the signature of each of its commits. */
  | 'VERIFIED_COMMITS';

/** The effect of a change of a key on existing builds. */
export type ConfigurationMark =
  /** Existing builds were made with the old value, and are reset (307). */
  | 'BUILD'
  /** Existing builds are judged again. Nothing is rebuilt. */
  | 'GATE'
  /** Existing builds stay valid. The new value applies from now on. */
  | 'OTHER';

/** Another prompt for a runbook (interface 4.9). */
export type ContinueRunbookInput = {
  /** Replaces the stored description. Left out: the stored description stays. Blank: the description is removed. */
  description?: string | null | undefined;
  /** Labels that are added to the stored labels. No stored label is removed. */
  labels?: Array<string> | null | undefined;
  /** The number of the runbook. */
  number: number;
  /** What is to be done next: 1 to 200,000 characters. */
  prompt: string;
};

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

/** A runbook to create (interface 4.9). For fields that are left out, the defaults of the repository apply. */
export type CreateRunbookInput = {
  /** Email address of a user of the account. The runbook is attributed to this author. Default: the token's user. */
  authorEmail?: string | null | undefined;
  /** What the runbook may spend on its model, in millionths of a US dollar: at most what the repository allows. */
  budgetMicros?: number | null | undefined;
  /** Text that is put before the body of the first pull request and stays there, at most 20,000 characters. */
  description?: string | null | undefined;
  /** Whether the pull requests are opened as drafts. */
  draft?: boolean | null | undefined;
  /** Labels of every pull request that the runbook opens, in this order: at most 50 labels of at most 50 characters each. */
  labels?: Array<string> | null | undefined;
  /** How the commits are divided into pull requests. */
  prMode?: PrMode | null | undefined;
  /** What is to be done: 1 to 200,000 characters. */
  prompt: string;
  /** Whether the pull requests are queued in the author's name once all leaves are completed. */
  queueWhenGreen?: boolean | null | undefined;
  /** The repository that the runbook works in. */
  repository: RepositoryInput;
  /** The branch that the runbook begins at, and that its pull requests are merged into. The branch must exist. */
  targetBranch?: string | null | undefined;
  /** The title of the runbook, at most 200 characters. Default: a title made from the prompt, and then the title of the plan. */
  title?: string | null | undefined;
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

/** A pull request to take out of the queue. */
export type DequeuePullRequestInput = {
  /** Its number. */
  number: number;
  /** True: a dry run. Nothing changes, and `impact` says what the request would do. */
  preview?: boolean;
  /** Its repository. */
  repository: RepositoryInput;
};

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

/** Who must act next. */
export type ExplanationActor =
  /** Somebody who may pause, resume and configure the queue. */
  | 'ADMIN'
  /** The author of the pull request. */
  | 'AUTHOR'
  /** Nobody: checks are running. */
  | 'CI'
  /** Nobody: the queue continues by itself. */
  | 'QUEUE'
  /** A reviewer. */
  | 'REVIEWER';

/** What keeps a pull request from being merged. */
export type ExplanationKind =
  /** It left the queue, and somebody must act. */
  | 'BLOCKED'
  /** Its build is running. */
  | 'BUILDING'
  /** Its build failed, and it is not known yet which change is at fault. */
  | 'BUILD_FAILED'
  /** It is closed. */
  | 'CLOSED'
  /** Its final gate runs. */
  | 'FINAL_GATE'
  /** Its base branch is frozen. */
  | 'FROZEN'
  /** Its queue is halted until an admin resumes it. */
  | 'HALTED'
  /** The code host refuses requests for a while, or Interlock makes its first copy of the repository. */
  | 'HOST_WAIT'
  /** Others are before it in line, or no build is free. */
  | 'IN_LINE'
  /** It is landing: it is merged now or next. */
  | 'LANDING'
  /** Nothing: it is merged. */
  | 'MERGED'
  /** It waits until a merge window opens. */
  | 'MERGE_WINDOW'
  /** Nobody has requested its merge. */
  | 'NOT_ASKED'
  /** Checks on its own head are still running. */
  | 'OWN_CHECKS'
  /** Its base branch or its repository is paused. */
  | 'PAUSED'
  /** A condition must hold before it enters the line. */
  | 'PRECONDITION'
  /** The reason is not on record: the instant is too long ago, or Interlock did not know the pull request yet. */
  | 'UNKNOWN';

/** The message of its commit on the base branch. A field that is left out is taken from the pull request. */
export type MergeCommitMessageInput = {
  /** The rest. */
  body?: string | null | undefined;
  /** First line. */
  title?: string | null | undefined;
};

/** How the commits of a runbook are divided into pull requests (interface 4.9). */
export type PrMode =
  /** No pull request is opened until `publishRunbook` is called. */
  | 'MANUAL'
  /** One pull request has all commits. */
  | 'SINGLE_PR'
  /** Each step that made commits has a pull request of its own, on top of the pull request of the step before. */
  | 'STACKED_PR';

/** A configuration to check without storing it. */
export type PreviewConfigurationInput = {
  /** The repository. */
  repository: RepositoryInput;
  /** The YAML document. */
  yaml: string;
};

/** Status of a pull request (interface 3.1). */
export type PullRequestStatus =
  /** Not in line because something failed. Somebody must act before it is queued again. */
  | 'BLOCKED'
  /** Closed without being merged. */
  | 'CLOSED'
  /** On its base branch. */
  | 'MERGED'
  /** Nobody has requested its merge. */
  | 'OPEN'
  /** Its merge is requested. It waits for something that comes by itself or from a reviewer. */
  | 'PENDING'
  /** In line. */
  | 'QUEUED'
  /** In line, and part of a batch whose bot pull request exists. */
  | 'TAGGED';

/** A pull request to merge, and how (interface 4.3). */
export type QueuePullRequestInput = {
  /** The parts of the code base it affects, at most 100,000. Deleted when it is merged or closed. */
  affectedTargets?: Array<string> | null | undefined;
  /** The expected head. If the pull request has another head, the request is refused with HEAD_MOVED. */
  headCommitSha?: string | null | undefined;
  /** Message of its commit. */
  mergeCommitMessage?: MergeCommitMessageInput | null | undefined;
  /** Its number. */
  number: number;
  /** True: a dry run. Nothing changes, and `impact` says what the request would do. */
  preview?: boolean;
  /** Its repository. */
  repository: RepositoryInput;
  /** Handle on whose behalf an option is requested: both users need to be authorised. */
  requestedBy?: string | null | undefined;
  /** Moves it before all pull requests that do not skip the line. Needs authorisation. */
  skipLine?: boolean | null | undefined;
  /** Required by repositories with require_skip_line_reason. */
  skipLineReason?: string | null | undefined;
  /** Merges it without validation. Needs authorisation. */
  skipValidation?: boolean | null | undefined;
};

/** Whether a candidate can be deployed. */
export type ReleaseCandidateStatus =
  /** The candidate is being built. */
  | 'BUILDING'
  /** The build failed, and the candidate can never be deployed. */
  | 'FAILED'
  /** The candidate can be deployed. */
  | 'READY';

/** Names a repository. */
export type RepositoryInput = {
  /** Name of the repository. */
  name: string;
  /** Organization on the code host. */
  owner: string;
};

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

/** Status of a runbook, derived from its leaves (interface 3.3). If several descriptions fit, the first one counts. */
export type RunbookStatus =
  /** All leaves are completed. */
  | 'COMPLETED'
  /** A leaf failed, and none is in progress. */
  | 'FAILED'
  /** There are no steps yet. */
  | 'GENERATING_STEPS'
  /** A leaf is being worked on. */
  | 'IN_PROGRESS'
  /** No leaf has been started. */
  | 'NOT_STARTED'
  /** Some leaves are completed or queued, and no leaf is in progress or failed. */
  | 'PARTIALLY_COMPLETED';

/** A queue, how many days of it to simulate, and under which configuration. */
export type SimulateQueueInput = {
  /** The branch it merges into. The default branch if not given. */
  baseBranch?: string | null | undefined;
  /** How many of the last days to simulate, from 1 to 90. */
  days?: number;
  /** Its repository. */
  repository: RepositoryInput;
  /** The configuration, as YAML, to compare with the present one. If not given, only the present one is simulated. */
  yaml?: string | null | undefined;
};

export type McpConfigurationQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type McpConfigurationQuery = { repository: { configuration: { yaml: string } } | null };

export type McpProblemFragment = { path: Array<string>, reason: string, line: number | null, column: number | null };

export type McpCheckConfigurationQueryVariables = Exact<{
  input: PreviewConfigurationInput;
}>;


export type McpCheckConfigurationQuery = { previewConfiguration: { accepted: boolean, problems: Array<{ path: Array<string>, reason: string, line: number | null, column: number | null }>, changedKeys: Array<{ key: string, before: string | null, after: string | null, mark: ConfigurationMark }>, impact: { sentence: string } | null } };

export type McpSimulatedFragment = { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null };

export type McpSimulateConfigurationQueryVariables = Exact<{
  input: SimulateQueueInput;
}>;


export type McpSimulateConfigurationQuery = { simulateQueue: { accepted: boolean, arrivals: number, assumptions: Array<string>, problems: Array<{ path: Array<string>, reason: string, line: number | null, column: number | null }>, observed: { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null } | null, present: { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null } | null, other: { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null } | null } };

export type McpRepositoriesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type McpRepositoriesQuery = { repositories: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ owner: string, name: string, defaultBranch: string, paused: boolean, active: boolean, queueDepth: { queued: number, processing: number, waiting: number } }> } };

export type McpDefaultBranchQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type McpDefaultBranchQuery = { repository: { defaultBranch: string } | null };

export type McpQueueQueryVariables = Exact<{
  owner: string;
  name: string;
  baseBranch: string;
  first: number;
}>;


export type McpQueueQuery = { repository: { paused: boolean, queue: { paused: boolean, haltedReason: string | null, pause: { message: string | null } | null, frozen: { sentence: string } | null, depth: { queued: number, processing: number, waiting: number }, line: { totalCount: number, nodes: Array<{ position: number, eta: { p50: string | null, p90: string | null } | null, explain: { sentence: string, who: ExplanationActor | null }, pullRequest: { number: number, title: string, author: string, status: PullRequestStatus } }> } } | null } | null };

export type McpConditionFragment = { kind: ConditionKind, name: string | null, holds: boolean, sentence: string, who: ExplanationActor | null };

export type McpExplainQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
}>;


export type McpExplainQuery = { repository: { pullRequest: { number: number, title: string, author: string, status: PullRequestStatus, baseBranch: string, headBranch: string, url: string, mergeCommit: string | null, failedChecks: Array<string>, explain: { sentence: string, who: ExplanationActor | null, kind: ExplanationKind, eta: { p50: string | null, p90: string | null } | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, who: ExplanationActor | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, who: ExplanationActor | null }> }> } } | null } | null };

export type McpPullRequestFragment = { number: number, title: string, status: PullRequestStatus, explain: { sentence: string, who: ExplanationActor | null } };

export type McpQueuePullRequestMutationVariables = Exact<{
  input: QueuePullRequestInput;
}>;


export type McpQueuePullRequestMutation = { queuePullRequest: { pullRequest: { number: number, title: string, status: PullRequestStatus, explain: { sentence: string, who: ExplanationActor | null } }, impact: { sentence: string } | null } };

export type McpDequeuePullRequestMutationVariables = Exact<{
  input: DequeuePullRequestInput;
}>;


export type McpDequeuePullRequestMutation = { dequeuePullRequest: { pullRequest: { number: number, title: string, status: PullRequestStatus, explain: { sentence: string, who: ExplanationActor | null } }, impact: { sentence: string } | null } };

export type McpReleaseProjectsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type McpReleaseProjectsQuery = { releaseProjects: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ name: string, repository: { owner: string, name: string }, environments: Array<{ name: string }> }> } };

export type McpDeploymentFragment = { releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, kind: DeploymentKind, status: DeploymentStatus, actor: string, createdAt: string, errorMessage: string | null };

export type McpReleasesQueryVariables = Exact<{
  project: string;
}>;


export type McpReleasesQuery = { releaseProject: { name: string, repository: { owner: string, name: string }, environments: Array<{ name: string, tier: EnvironmentTier, frozen: { sentence: string } | null, running: { since: string, releaseCandidate: { version: string } } | null, rollback: { releaseCandidate: { version: string } } | null, deployments: { nodes: Array<{ releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, kind: DeploymentKind, status: DeploymentStatus, actor: string, createdAt: string, errorMessage: string | null }> } }>, releaseCandidates: { nodes: Array<{ version: string, commit: string, status: ReleaseCandidateStatus, createdAt: string, errorMessage: string | null }> } } | null };

export type McpRunningQueryVariables = Exact<{
  project: string;
  environment: string;
}>;


export type McpRunningQuery = { releaseProject: { environment: { running: { releaseCandidate: { version: string } } | null } | null } | null };

export type McpDeployMutationVariables = Exact<{
  input: CreateDeploymentInput;
}>;


export type McpDeployMutation = { createDeployment: { deployment: { releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, kind: DeploymentKind, status: DeploymentStatus, actor: string, createdAt: string, errorMessage: string | null }, impact: { sentence: string } | null } };

export type McpRollBackMutationVariables = Exact<{
  input: RollBackEnvironmentInput;
}>;


export type McpRollBackMutation = { rollBackEnvironment: { deployment: { releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, kind: DeploymentKind, status: DeploymentStatus, actor: string, createdAt: string, errorMessage: string | null }, impact: { sentence: string } | null } };

export type McpRunbookFragment = { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> };

export type McpRunbooksQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type McpRunbooksQuery = { repository: { runbooks: { nodes: Array<{ number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> }> } } | null };

export type McpRunbookQueryVariables = Exact<{
  number: number;
  after?: string | null | undefined;
}>;


export type McpRunbookQuery = { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, steps: Array<{ number: string, title: string, status: RunbookStatus }>, log: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ text: string, cursor: string }> }, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> } | null };

export type McpRunbookLogSubscriptionVariables = Exact<{
  number: number;
  after?: string | null | undefined;
}>;


export type McpRunbookLogSubscription = { runbookLog: { cursor: string } };

export type McpStartRunbookMutationVariables = Exact<{
  input: CreateRunbookInput;
}>;


export type McpStartRunbookMutation = { createRunbook: { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> } } };

export type McpContinueRunbookMutationVariables = Exact<{
  input: ContinueRunbookInput;
}>;


export type McpContinueRunbookMutation = { continueRunbook: { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> } } };

export type McpCancelRunbookMutationVariables = Exact<{
  input: CancelRunbookInput;
}>;


export type McpCancelRunbookMutation = { cancelRunbook: { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> }, impact: { sentence: string } | null } };

export const McpProblemFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpProblem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationProblem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}}]}}]} as unknown as DocumentNode<McpProblemFragment, unknown>;
export const McpSimulatedFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpSimulated"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SimulatedQueue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]}}]} as unknown as DocumentNode<McpSimulatedFragment, unknown>;
export const McpConditionFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpCondition"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]} as unknown as DocumentNode<McpConditionFragment, unknown>;
export const McpPullRequestFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpPullRequest"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]}}]} as unknown as DocumentNode<McpPullRequestFragment, unknown>;
export const McpDeploymentFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpDeployment"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<McpDeploymentFragment, unknown>;
export const McpRunbookFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpRunbook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<McpRunbookFragment, unknown>;
export const McpConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpConfiguration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"configuration"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"yaml"}}]}}]}}]}}]} as unknown as DocumentNode<McpConfigurationQuery, McpConfigurationQueryVariables>;
export const McpCheckConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpCheckConfiguration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PreviewConfigurationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"previewConfiguration"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpProblem"}}]}},{"kind":"Field","name":{"kind":"Name","value":"changedKeys"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"mark"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpProblem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationProblem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}}]}}]} as unknown as DocumentNode<McpCheckConfigurationQuery, McpCheckConfigurationQueryVariables>;
export const McpSimulateConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpSimulateConfiguration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SimulateQueueInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"simulateQueue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"}},{"kind":"Field","name":{"kind":"Name","value":"arrivals"}},{"kind":"Field","name":{"kind":"Name","value":"assumptions"}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpProblem"}}]}},{"kind":"Field","name":{"kind":"Name","value":"observed"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"present"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpSimulated"}}]}},{"kind":"Field","name":{"kind":"Name","value":"other"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpSimulated"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpProblem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationProblem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpSimulated"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SimulatedQueue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]}}]} as unknown as DocumentNode<McpSimulateConfigurationQuery, McpSimulateConfigurationQueryVariables>;
export const McpRepositoriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpRepositories"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repositories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}},{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"queueDepth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"processing"}},{"kind":"Field","name":{"kind":"Name","value":"waiting"}}]}}]}}]}}]}}]} as unknown as DocumentNode<McpRepositoriesQuery, McpRepositoriesQueryVariables>;
export const McpDefaultBranchDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpDefaultBranch"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}}]}}]}}]} as unknown as DocumentNode<McpDefaultBranchQuery, McpDefaultBranchQueryVariables>;
export const McpQueueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpQueue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"pause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"haltedReason"}},{"kind":"Field","name":{"kind":"Name","value":"frozen"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"depth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"processing"}},{"kind":"Field","name":{"kind":"Name","value":"waiting"}}]}},{"kind":"Field","name":{"kind":"Name","value":"line"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"eta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<McpQueueQuery, McpQueueQueryVariables>;
export const McpExplainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpExplain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"headBranch"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"mergeCommit"}},{"kind":"Field","name":{"kind":"Name","value":"failedChecks"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"eta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpCondition"}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpCondition"}}]}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpCondition"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]} as unknown as DocumentNode<McpExplainQuery, McpExplainQueryVariables>;
export const McpQueuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"McpQueuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QueuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpPullRequest"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpPullRequest"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]}}]} as unknown as DocumentNode<McpQueuePullRequestMutation, McpQueuePullRequestMutationVariables>;
export const McpDequeuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"McpDequeuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DequeuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dequeuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpPullRequest"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpPullRequest"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]}}]} as unknown as DocumentNode<McpDequeuePullRequestMutation, McpDequeuePullRequestMutationVariables>;
export const McpReleaseProjectsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpReleaseProjects"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProjects"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"environments"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<McpReleaseProjectsQuery, McpReleaseProjectsQueryVariables>;
export const McpReleasesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpReleases"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProject"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"environments"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"tier"}},{"kind":"Field","name":{"kind":"Name","value":"frozen"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"running"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"rollback"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"deployments"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpDeployment"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidates"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpDeployment"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<McpReleasesQuery, McpReleasesQueryVariables>;
export const McpRunningDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpRunning"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"environment"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProject"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"environment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"environment"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"running"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<McpRunningQuery, McpRunningQueryVariables>;
export const McpDeployDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"McpDeploy"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateDeploymentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createDeployment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deployment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpDeployment"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpDeployment"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<McpDeployMutation, McpDeployMutationVariables>;
export const McpRollBackDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"McpRollBack"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RollBackEnvironmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rollBackEnvironment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deployment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpDeployment"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpDeployment"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<McpRollBackMutation, McpRollBackMutationVariables>;
export const McpRunbooksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpRunbooks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbooks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpRunbook"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpRunbook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<McpRunbooksQuery, McpRunbooksQueryVariables>;
export const McpRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"McpRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpRunbook"}},{"kind":"Field","name":{"kind":"Name","value":"steps"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"log"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpRunbook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<McpRunbookQuery, McpRunbookQueryVariables>;
export const McpRunbookLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"McpRunbookLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbookLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<McpRunbookLogSubscription, McpRunbookLogSubscriptionVariables>;
export const McpStartRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"McpStartRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpRunbook"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpRunbook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<McpStartRunbookMutation, McpStartRunbookMutationVariables>;
export const McpContinueRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"McpContinueRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ContinueRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"continueRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpRunbook"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpRunbook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<McpContinueRunbookMutation, McpContinueRunbookMutationVariables>;
export const McpCancelRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"McpCancelRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CancelRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cancelRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"McpRunbook"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"McpRunbook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<McpCancelRunbookMutation, McpCancelRunbookMutationVariables>;