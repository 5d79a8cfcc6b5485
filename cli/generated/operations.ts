/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Base branches of a repository. */
export type BaseBranchesInput = {
  /** The base branches: a plain name, or a glob. */
  baseBranches: string;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The repository. */
  repository: RepositoryInput;
};

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

/** A link that signs a browser in. */
export type CreateSignInLinkInput = {
  /** The path that the browser opens after the sign-in, such as `/acme/shop/queue/main`. Default: the first page. */
  next?: string | null | undefined;
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

/** Base branches on which nothing lands from now on. */
export type FreezeBranchesInput = {
  /** The base branches: a plain name, or a glob. */
  baseBranches: string;
  /** The end. Left out: the freeze lasts until a user ends it. */
  endsAt?: string | null | undefined;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The reason, at most 1,000 characters. The reason is shown to all users whose pull requests wait. */
  reason?: string | null | undefined;
  /** The repository. */
  repository: RepositoryInput;
};

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

/** The message of its commit on the base branch. A field that is left out is taken from the pull request. */
export type MergeCommitMessageInput = {
  /** The rest. */
  body?: string | null | undefined;
  /** First line. */
  title?: string | null | undefined;
};

/** A rule that pauses or unpauses base branches. It replaces the rule with the same pattern. */
export type PauseBranchesInput = {
  /** The base branches: a plain name, or a glob. */
  pattern: string;
  /** True stops validating and merging. False resumes both. */
  paused: boolean;
  /** The message that Interlock posts on the first pull request in line while the base branches are paused. Left out: an earlier message is removed. */
  pausedMessage?: string | null | undefined;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The repository. */
  repository: RepositoryInput;
};

/** Pauses a repository, or ends its pause. */
export type PauseRepositoryInput = {
  /** True: the queues of the repository stop validating and merging. False: they continue. */
  paused: boolean;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The repository. */
  repository: RepositoryInput;
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

/** A configuration that replaces the present one. */
export type ReplaceConfigurationInput = {
  /** The hash of the configuration that the document replaces. If another one is in force, the request is refused with CONFLICT. Left out: the last write wins. */
  expectedHash?: string | null | undefined;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The repository. */
  repository: RepositoryInput;
  /** The whole YAML document, at most 256 KiB. */
  yaml: string;
};

/** Names a repository. */
export type RepositoryInput = {
  /** Name of the repository. */
  name: string;
  /** Organization on the code host. */
  owner: string;
};

/** A token to revoke. */
export type RevokeApiTokenInput = {
  /** The token. Left out: the token in use. */
  id?: string | number | null | undefined;
  /** The account token that signs webhooks from now on. Required if the revoked token signs them. */
  successor?: string | number | null | undefined;
};

/** What a user may do in the account. The role limits the scopes of the user's tokens. */
export type Role =
  /** May do everything. */
  | 'ADMIN'
  /** Does everything that a member may do. Also pauses, configures, releases, freezes and deploys. */
  | 'MAINTAINER'
  /** Reads everything except the audit log, queues pull requests, creates runbooks and registers previews. */
  | 'MEMBER';

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

/** What a token may do: `QUEUE_READ` is the scope queue:read. The role of the token's user limits the scopes that have an effect (interface 5.7). */
export type Scope =
  /** Manages repositories, users, teams, tokens, webhooks, and images and secrets of previews. Halts and resumes queues. Includes QUEUE_READ. */
  | 'ADMIN'
  /** Reads statistics. */
  | 'ANALYTICS_READ'
  /** Reads the audit log of what users did. */
  | 'AUDIT_READ'
  /** Reads configurations and their history. */
  | 'CONFIG_READ'
  /** Replaces configurations, sets defaults of runbooks and grants permissions. Includes CONFIG_READ. */
  | 'CONFIG_WRITE'
  /** Starts, cancels and reports deployments, and rolls environments back. Includes RELEASE_READ. */
  | 'DEPLOY_WRITE'
  /** Registers previews that CI built, and deregisters them. */
  | 'PREVIEW_REGISTER'
  /** Pauses repositories and base branches. */
  | 'QUEUE_PAUSE'
  /** Reads pull requests, queues, batches, proofs, events and verifications. */
  | 'QUEUE_READ'
  /** Queues, dequeues and changes pull requests. Includes QUEUE_READ. */
  | 'QUEUE_WRITE'
  /** Reads releases, environments, deployments and their logs. */
  | 'RELEASE_READ'
  /** Makes release projects, environments and candidates, and freezes environments and base branches. Includes RELEASE_READ. */
  | 'RELEASE_WRITE'
  /** Creates and reads runbooks, and sends follow-up prompts. */
  | 'RUNBOOK_WRITE';

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

/** An environment whose manual freezes and freezes after rollbacks end. */
export type UnfreezeEnvironmentInput = {
  /** Name of the environment. */
  environment: string;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The release project. */
  project: string;
};

export type ConfigurationQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type ConfigurationQuery = { repository: { configuration: { yaml: string } } | null };

export type ConfigurationHashQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type ConfigurationHashQuery = { repository: { configuration: { hash: string } } | null };

export type ProblemFragment = { path: Array<string>, reason: string, line: number | null, column: number | null };

export type PreviewConfigurationQueryVariables = Exact<{
  input: PreviewConfigurationInput;
}>;


export type PreviewConfigurationQuery = { previewConfiguration: { accepted: boolean, problems: Array<{ path: Array<string>, reason: string, line: number | null, column: number | null }>, changedKeys: Array<{ key: string, before: string | null, after: string | null, mark: ConfigurationMark }>, impact: { sentence: string } | null } };

export type ReplaceConfigurationMutationVariables = Exact<{
  input: ReplaceConfigurationInput;
}>;


export type ReplaceConfigurationMutation = { replaceConfiguration: { outcome:
      | { success: boolean }
      | { problems: Array<{ path: Array<string>, reason: string, line: number | null, column: number | null }> }
    , impact: { sentence: string } | null } };

export type WaitsFragment = { p50: number, p90: number };

export type SimulatedFragment = { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null };

export type SimulateQueueQueryVariables = Exact<{
  input: SimulateQueueInput;
}>;


export type SimulateQueueQuery = { simulateQueue: { accepted: boolean, arrivals: number, assumptions: Array<string>, problems: Array<{ path: Array<string>, reason: string, line: number | null, column: number | null }>, observed: { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null } | null, present: { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null } | null, other: { landed: number, landedPerHour: number, builds: number, ejected: number, waits: { p50: number, p90: number } | null } | null } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { email: string | null, handle: string | null, role: Role, scopes: Array<Scope>, account: { name: string } } };

export type RevokeApiTokenMutationVariables = Exact<{
  input: RevokeApiTokenInput;
}>;


export type RevokeApiTokenMutation = { revokeApiToken: { apiToken: { id: string } } };

export type CursorQueryVariables = Exact<{ [key: string]: never; }>;


export type CursorQuery = { cursor: string };

export type OverviewQueryVariables = Exact<{ [key: string]: never; }>;


export type OverviewQuery = { repositories: { totalCount: number, nodes: Array<{ owner: string, name: string, defaultBranch: string, paused: boolean, active: boolean, queueDepth: { queued: number, processing: number, waiting: number } }> } };

export type DefaultBranchQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type DefaultBranchQuery = { repository: { defaultBranch: string } | null };

export type FindPullRequestQueryVariables = Exact<{
  owner: string;
  name: string;
  headBranch: string;
}>;


export type FindPullRequestQuery = { repository: { pullRequest: { number: number } | null } | null };

export type StatusQueryVariables = Exact<{
  owner: string;
  name: string;
  baseBranch: string;
  first: number;
}>;


export type StatusQuery = { repository: { active: boolean, paused: boolean, queue: { paused: boolean, haltedAt: string | null, haltedReason: string | null, pause: { message: string | null } | null, frozen: { sentence: string } | null, depth: { queued: number, processing: number, waiting: number }, line: { totalCount: number, nodes: Array<{ position: number, eta: { p50: string | null, sentence: string } | null, explain: { sentence: string, who: ExplanationActor | null }, pullRequest: { number: number, title: string, author: string, status: PullRequestStatus } }> } } | null } | null };

export type QueueChangedSubscriptionVariables = Exact<{
  repository: RepositoryInput;
  baseBranch: string;
  after?: string | null | undefined;
}>;


export type QueueChangedSubscription = { queueChanged: { action: string, cursor: string } };

export type ReasonFragment = { kind: ConditionKind, name: string | null, holds: boolean, sentence: string, who: ExplanationActor | null };

export type ExplainQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
}>;


export type ExplainQuery = { repository: { pullRequest: { number: number, title: string, status: PullRequestStatus, explain: { sentence: string, who: ExplanationActor | null, kind: ExplanationKind, eta: { p50: string | null, sentence: string } | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, who: ExplanationActor | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, who: ExplanationActor | null }> }> } } | null } | null };

export type ProgressQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
}>;


export type ProgressQuery = { repository: { pullRequest: { status: PullRequestStatus, statusText: string | null, mergeCommit: string | null, explain: { sentence: string } } | null } | null };

export type PullRequestChangedSubscriptionVariables = Exact<{
  repository: RepositoryInput;
  number: number;
  after?: string | null | undefined;
}>;


export type PullRequestChangedSubscription = { pullRequestChanged: { action: string, cursor: string } };

export type QueuePullRequestMutationVariables = Exact<{
  input: QueuePullRequestInput;
}>;


export type QueuePullRequestMutation = { queuePullRequest: { pullRequest: { number: number, status: PullRequestStatus, explain: { sentence: string } }, impact: { sentence: string } | null } };

export type DequeuePullRequestMutationVariables = Exact<{
  input: DequeuePullRequestInput;
}>;


export type DequeuePullRequestMutation = { dequeuePullRequest: { pullRequest: { number: number, status: PullRequestStatus, explain: { sentence: string } }, impact: { sentence: string } | null } };

export type PauseRepositoryMutationVariables = Exact<{
  input: PauseRepositoryInput;
}>;


export type PauseRepositoryMutation = { pauseRepository: { repository: { paused: boolean }, impact: { sentence: string } | null } };

export type PauseBranchesMutationVariables = Exact<{
  input: PauseBranchesInput;
}>;


export type PauseBranchesMutation = { pauseBranches: { branchPause: { pattern: string, paused: boolean, pausedMessage: string | null, repository: { paused: boolean } }, impact: { sentence: string } | null } };

export type FreezeBranchesMutationVariables = Exact<{
  input: FreezeBranchesInput;
}>;


export type FreezeBranchesMutation = { freezeBranches: { freeze: { baseBranches: string | null, reason: string | null, endsAt: string | null } | null, impact: { sentence: string } | null } };

export type UnfreezeBranchesMutationVariables = Exact<{
  input: BaseBranchesInput;
}>;


export type UnfreezeBranchesMutation = { unfreezeBranches: { deleted: number, impact: { sentence: string } | null } };

export type CreateSignInLinkMutationVariables = Exact<{
  input: CreateSignInLinkInput;
}>;


export type CreateSignInLinkMutation = { createSignInLink: { url: string } };

export type FreezeEnvironmentMutationVariables = Exact<{
  input: FreezeEnvironmentInput;
}>;


export type FreezeEnvironmentMutation = { freezeEnvironment: { freeze: { reason: string | null, endsAt: string | null }, impact: { sentence: string } | null } };

export type UnfreezeEnvironmentMutationVariables = Exact<{
  input: UnfreezeEnvironmentInput;
}>;


export type UnfreezeEnvironmentMutation = { unfreezeEnvironment: { deleted: number } };

export type CreateReleaseMutationVariables = Exact<{
  input: CreateReleaseInput;
}>;


export type CreateReleaseMutation = { createRelease: { releaseCandidate: { version: string, commit: string, status: ReleaseCandidateStatus } } };

export type ReleaseProjectQueryVariables = Exact<{
  name: string;
}>;


export type ReleaseProjectQuery = { releaseProject: { repository: { owner: string, name: string } } | null };

export type DeploymentRowFragment = { id: string, status: DeploymentStatus, kind: DeploymentKind, releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, errorMessage: string | null };

export type CreateDeploymentMutationVariables = Exact<{
  input: CreateDeploymentInput;
}>;


export type CreateDeploymentMutation = { createDeployment: { deployment: { id: string, status: DeploymentStatus, kind: DeploymentKind, releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, errorMessage: string | null }, impact: { sentence: string } | null } };

export type RollBackEnvironmentMutationVariables = Exact<{
  input: RollBackEnvironmentInput;
}>;


export type RollBackEnvironmentMutation = { rollBackEnvironment: { deployment: { id: string, status: DeploymentStatus, kind: DeploymentKind, releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, errorMessage: string | null }, impact: { sentence: string } | null } };

export type DeploymentProgressQueryVariables = Exact<{
  id: string | number;
}>;


export type DeploymentProgressQuery = { node:
    | { id: string, status: DeploymentStatus, kind: DeploymentKind, releaseCandidateVersion: string, fromReleaseCandidateVersion: string | null, errorMessage: string | null }
    | Record<PropertyKey, never>
   | null };

export type DeploymentChangedSubscriptionVariables = Exact<{
  project: string;
  environment: string;
  after?: string | null | undefined;
}>;


export type DeploymentChangedSubscription = { deploymentChanged: { cursor: string } };

export type RunbookRowFragment = { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> };

export type CreateRunbookMutationVariables = Exact<{
  input: CreateRunbookInput;
}>;


export type CreateRunbookMutation = { createRunbook: { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> } } };

export type ContinueRunbookMutationVariables = Exact<{
  input: ContinueRunbookInput;
}>;


export type ContinueRunbookMutation = { continueRunbook: { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> } } };

export type CancelRunbookMutationVariables = Exact<{
  input: CancelRunbookInput;
}>;


export type CancelRunbookMutation = { cancelRunbook: { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> }, impact: { sentence: string } | null } };

export type RunbookQueryVariables = Exact<{
  number: number;
}>;


export type RunbookQuery = { runbook: { number: number, title: string, status: RunbookStatus, url: string, problem: string | null, log: { nodes: Array<{ cursor: string }> }, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> } | null };

export type RunbooksQueryVariables = Exact<{
  owner: string;
  name: string;
  first: number;
}>;


export type RunbooksQuery = { repository: { runbooks: { nodes: Array<{ number: number, title: string, status: RunbookStatus, url: string, problem: string | null, stepCounts: { total: number, notStarted: number, inProgress: number, completed: number, failed: number, queued: number }, pullRequests: Array<{ number: number, url: string }> }> } } | null };

export type RunbookLogSubscriptionVariables = Exact<{
  number: number;
  after?: string | null | undefined;
}>;


export type RunbookLogSubscription = { runbookLog: { text: string, cursor: string } };

export type EndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type EndpointsQuery = { webhookEndpoints: { nodes: Array<{ id: string, url: string }> } };

export type DeliveriesQueryVariables = Exact<{
  endpoint: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type DeliveriesQuery = { node:
    | { deliveries: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, messageId: string, action: string, createdAt: string, body: string, attempts: Array<{ responseStatus: number | null, error: string | null, requestHeaders: unknown }> }> } }
    | Record<PropertyKey, never>
   | null };

export const ProblemFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Problem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationProblem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}}]}}]} as unknown as DocumentNode<ProblemFragment, unknown>;
export const WaitsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Waits"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"QueueWaits"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]} as unknown as DocumentNode<WaitsFragment, unknown>;
export const SimulatedFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Simulated"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SimulatedQueue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Waits"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Waits"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"QueueWaits"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]} as unknown as DocumentNode<SimulatedFragment, unknown>;
export const ReasonFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Reason"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]} as unknown as DocumentNode<ReasonFragment, unknown>;
export const DeploymentRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeploymentRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<DeploymentRowFragment, unknown>;
export const RunbookRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RunbookRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<RunbookRowFragment, unknown>;
export const ConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Configuration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"configuration"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"yaml"}}]}}]}}]}}]} as unknown as DocumentNode<ConfigurationQuery, ConfigurationQueryVariables>;
export const ConfigurationHashDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ConfigurationHash"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"configuration"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}}]}}]}}]}}]} as unknown as DocumentNode<ConfigurationHashQuery, ConfigurationHashQueryVariables>;
export const PreviewConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PreviewConfiguration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PreviewConfigurationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"previewConfiguration"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Problem"}}]}},{"kind":"Field","name":{"kind":"Name","value":"changedKeys"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"mark"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Problem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationProblem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}}]}}]} as unknown as DocumentNode<PreviewConfigurationQuery, PreviewConfigurationQueryVariables>;
export const ReplaceConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReplaceConfiguration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReplaceConfigurationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"replaceConfiguration"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationAccepted"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"success"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationRefused"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Problem"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Problem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationProblem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}}]}}]} as unknown as DocumentNode<ReplaceConfigurationMutation, ReplaceConfigurationMutationVariables>;
export const SimulateQueueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SimulateQueue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SimulateQueueInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"simulateQueue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"}},{"kind":"Field","name":{"kind":"Name","value":"arrivals"}},{"kind":"Field","name":{"kind":"Name","value":"assumptions"}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Problem"}}]}},{"kind":"Field","name":{"kind":"Name","value":"observed"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Waits"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"present"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Simulated"}}]}},{"kind":"Field","name":{"kind":"Name","value":"other"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Simulated"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Waits"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"QueueWaits"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Problem"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationProblem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Simulated"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SimulatedQueue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Waits"}}]}}]}}]} as unknown as DocumentNode<SimulateQueueQuery, SimulateQueueQueryVariables>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"handle"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"scopes"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;
export const RevokeApiTokenDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RevokeApiToken"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RevokeApiTokenInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"revokeApiToken"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"apiToken"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<RevokeApiTokenMutation, RevokeApiTokenMutationVariables>;
export const CursorDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Cursor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]} as unknown as DocumentNode<CursorQuery, CursorQueryVariables>;
export const OverviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Overview"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repositories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}},{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"queueDepth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"processing"}},{"kind":"Field","name":{"kind":"Name","value":"waiting"}}]}}]}}]}}]}}]} as unknown as DocumentNode<OverviewQuery, OverviewQueryVariables>;
export const DefaultBranchDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DefaultBranch"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}}]}}]}}]} as unknown as DocumentNode<DefaultBranchQuery, DefaultBranchQueryVariables>;
export const FindPullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FindPullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"headBranch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"headBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"headBranch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}}]}}]} as unknown as DocumentNode<FindPullRequestQuery, FindPullRequestQueryVariables>;
export const StatusDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Status"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"pause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"haltedAt"}},{"kind":"Field","name":{"kind":"Name","value":"haltedReason"}},{"kind":"Field","name":{"kind":"Name","value":"frozen"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"depth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"processing"}},{"kind":"Field","name":{"kind":"Name","value":"waiting"}}]}},{"kind":"Field","name":{"kind":"Name","value":"line"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"eta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<StatusQuery, StatusQueryVariables>;
export const QueueChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"QueueChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"repository"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RepositoryInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queueChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"repository"},"value":{"kind":"Variable","name":{"kind":"Name","value":"repository"}}},{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<QueueChangedSubscription, QueueChangedSubscriptionVariables>;
export const ExplainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Explain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"eta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Reason"}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Reason"}}]}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Reason"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]} as unknown as DocumentNode<ExplainQuery, ExplainQueryVariables>;
export const ProgressDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Progress"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}},{"kind":"Field","name":{"kind":"Name","value":"mergeCommit"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ProgressQuery, ProgressQueryVariables>;
export const PullRequestChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"PullRequestChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"repository"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RepositoryInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequestNumber"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequestChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"repository"},"value":{"kind":"Variable","name":{"kind":"Name","value":"repository"}}},{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<PullRequestChangedSubscription, PullRequestChangedSubscriptionVariables>;
export const QueuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"QueuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QueuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<QueuePullRequestMutation, QueuePullRequestMutationVariables>;
export const DequeuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DequeuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DequeuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dequeuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<DequeuePullRequestMutation, DequeuePullRequestMutationVariables>;
export const PauseRepositoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PauseRepository"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PauseRepositoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pauseRepository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"paused"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<PauseRepositoryMutation, PauseRepositoryMutationVariables>;
export const PauseBranchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PauseBranches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PauseBranchesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pauseBranches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branchPause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pattern"}},{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"pausedMessage"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"paused"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<PauseBranchesMutation, PauseBranchesMutationVariables>;
export const FreezeBranchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"FreezeBranches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"FreezeBranchesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freezeBranches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freeze"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranches"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"endsAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<FreezeBranchesMutation, FreezeBranchesMutationVariables>;
export const UnfreezeBranchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UnfreezeBranches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"BaseBranchesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unfreezeBranches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleted"}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<UnfreezeBranchesMutation, UnfreezeBranchesMutationVariables>;
export const CreateSignInLinkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateSignInLink"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateSignInLinkInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createSignInLink"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<CreateSignInLinkMutation, CreateSignInLinkMutationVariables>;
export const FreezeEnvironmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"FreezeEnvironment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"FreezeEnvironmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freezeEnvironment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freeze"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"endsAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<FreezeEnvironmentMutation, FreezeEnvironmentMutationVariables>;
export const UnfreezeEnvironmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UnfreezeEnvironment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UnfreezeEnvironmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unfreezeEnvironment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleted"}}]}}]}}]} as unknown as DocumentNode<UnfreezeEnvironmentMutation, UnfreezeEnvironmentMutationVariables>;
export const CreateReleaseDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRelease"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateReleaseInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRelease"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<CreateReleaseMutation, CreateReleaseMutationVariables>;
export const ReleaseProjectDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReleaseProject"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProject"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<ReleaseProjectQuery, ReleaseProjectQueryVariables>;
export const CreateDeploymentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateDeployment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateDeploymentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createDeployment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deployment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DeploymentRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeploymentRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<CreateDeploymentMutation, CreateDeploymentMutationVariables>;
export const RollBackEnvironmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RollBackEnvironment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RollBackEnvironmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rollBackEnvironment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deployment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DeploymentRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeploymentRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<RollBackEnvironmentMutation, RollBackEnvironmentMutationVariables>;
export const DeploymentProgressDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DeploymentProgress"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DeploymentRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeploymentRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Deployment"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"fromReleaseCandidateVersion"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}}]}}]} as unknown as DocumentNode<DeploymentProgressQuery, DeploymentProgressQueryVariables>;
export const DeploymentChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DeploymentChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"environment"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deploymentChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"project"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}},{"kind":"Argument","name":{"kind":"Name","value":"environment"},"value":{"kind":"Variable","name":{"kind":"Name","value":"environment"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<DeploymentChangedSubscription, DeploymentChangedSubscriptionVariables>;
export const CreateRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RunbookRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RunbookRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<CreateRunbookMutation, CreateRunbookMutationVariables>;
export const ContinueRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ContinueRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ContinueRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"continueRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RunbookRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RunbookRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<ContinueRunbookMutation, ContinueRunbookMutationVariables>;
export const CancelRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CancelRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cancelRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RunbookRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RunbookRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<CancelRunbookMutation, CancelRunbookMutationVariables>;
export const RunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Runbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RunbookRow"}},{"kind":"Field","name":{"kind":"Name","value":"log"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RunbookRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<RunbookQuery, RunbookQueryVariables>;
export const RunbooksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Runbooks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbooks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RunbookRow"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RunbookRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Runbook"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"notStarted"}},{"kind":"Field","name":{"kind":"Name","value":"inProgress"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<RunbooksQuery, RunbooksQueryVariables>;
export const RunbookLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"RunbookLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbookLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<RunbookLogSubscription, RunbookLogSubscriptionVariables>;
export const EndpointsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Endpoints"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookEndpoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]}}]} as unknown as DocumentNode<EndpointsQuery, EndpointsQueryVariables>;
export const DeliveriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Deliveries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"endpoint"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"endpoint"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookEndpoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deliveries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"body"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","name":{"kind":"Name","value":"requestHeaders"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<DeliveriesQuery, DeliveriesQueryVariables>;