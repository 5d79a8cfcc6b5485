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

/** A pull request to backport to another branch (interface 4.3). */
export type BackportPullRequestInput = {
  /** Its number. */
  number: number;
  /** True: a dry run. Nothing changes, and `message` and `impact` say what the request would do. */
  preview?: boolean;
  /** Its repository. */
  repository: SourceRepositoryInput;
  /** The branch to backport it to, which must exist. */
  targetBranch: string;
};

/** Base branches of a repository. */
export type BaseBranchesInput = {
  /** The base branches: a plain name, or a glob. */
  baseBranches: string;
  /** True: a dry run. Nothing changes, and `impact` says what the change would do. */
  preview?: boolean;
  /** The repository. */
  repository: RepositoryInput;
};

/** Why a batch was made. */
export type BatchCause =
  /** A part of a failed batch is built. */
  | 'BISECT'
  /** Pull requests reached their turn. */
  | 'NEW'
  /** Green builds show that its pull requests can land together. */
  | 'OPTIMISTIC'
  /** A pull request is built alone, to find out whether it still conflicts or is red by itself. */
  | 'PROBE'
  /** The same pull requests are built again. */
  | 'RETRY';

/** Whether a batch is in line, or is another kind of build. */
export type BatchRole =
  /** A failed pull request that is built alone on the tip, to find out whether it is red without others. */
  | 'ISOLATION'
  /** A batch in line, which is built on the tip of the base branch or on the batch before it, and can land. */
  | 'LINE'
  /** A part of a bisected batch, which is built on the tip to find the failing pull requests. */
  | 'PART'
  /** A speculative build: its members on top of the pull requests that it assumes to land first. */
  | 'SPECULATIVE';

/** State of a batch. The first three are live. */
export type BatchState =
  /** Its build failed, and its members are built again in smaller batches. */
  | 'BISECTED'
  /** Its commit exists and is validated, or waits for its turn to land. */
  | 'BUILDING'
  /** Its build failed for good. */
  | 'FAILED'
  /** Its commit is on the base branch. */
  | 'LANDED'
  /** Its commit is being put on the base branch. */
  | 'LANDING'
  /** Its commit is being made. */
  | 'MAKING'
  /** It was reset, or its result is no longer needed. Its members kept their places. */
  | 'SUPERSEDED';

/** The result of a check on a commit. Unless the configuration says otherwise, SUCCESS, SKIPPED and NEUTRAL count as green. */
export type CheckConclusion =
  /** Somebody has to do something at its provider first. */
  | 'ACTION_REQUIRED'
  /** Its provider does not run it. */
  | 'BLOCKED'
  /** It was stopped: it says nothing about the commit. */
  | 'CANCELLED'
  /** It could not be carried out. */
  | 'ERROR'
  /** It failed. */
  | 'FAILURE'
  /** It is required and did not run. */
  | 'MISSING'
  /** It ended without a judgement. */
  | 'NEUTRAL'
  /** It waits or runs. */
  | 'PENDING'
  /** It did not apply. */
  | 'SKIPPED'
  /** Its code host gave it up. */
  | 'STALE'
  /** It passed. */
  | 'SUCCESS'
  /** It took too long. */
  | 'TIMED_OUT'
  /** Its code host reported a conclusion that is not in this list. */
  | 'UNKNOWN';

/** The code host of a repository. */
export type CodeHostKind =
  /** On GitHub. */
  | 'GITHUB'
  /** On this installation, served under /git. */
  | 'LOCAL';

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

/** Why it is not known when a pull request will be merged. */
export type EtaUnknown =
  /** The queue is halted. */
  | 'HALTED'
  /** It is more likely to be blocked than to be merged. */
  | 'LIKELY_TO_FAIL'
  /** No build of the queue has ended yet. */
  | 'NO_BUILD_HISTORY'
  /** Landings wait for a merge window or for the end of a freeze, and it is not known when the window opens or the freeze ends. */
  | 'NO_WINDOW'
  /** No worker is running, so nothing is landed. */
  | 'NO_WORKER'
  /** A pause is in force. */
  | 'PAUSED'
  /** Temporal does not answer, so nothing is landed. */
  | 'TEMPORAL_SILENT'
  /** Too many pull requests before it are undecided. */
  | 'TOO_FAR_BACK';

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

/** State of a final gate. */
export type FinalGateState =
  /** It did not succeed, could not be started, or its batch ended first. */
  | 'FAILED'
  /** It succeeded. */
  | 'PASSED'
  /** It has not been started yet. */
  | 'PLANNED'
  /** It waits at the code host, or runs. */
  | 'RUNNING';

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

/** A queue to halt, and why. */
export type HaltQueueInput = {
  /** The branch it merges into. */
  baseBranch: string;
  /** True: a dry run. Nothing changes, and `impact` says what the request would do. */
  preview?: boolean;
  /** The reason, which explanations of the pull requests in line contain. */
  reason: string;
  /** Its repository. */
  repository: RepositoryInput;
};

/** The message of its commit on the base branch. A field that is left out is taken from the pull request. */
export type MergeCommitMessageInput = {
  /** The rest. */
  body?: string | null | undefined;
  /** First line. */
  title?: string | null | undefined;
};

/** A pull request to open. */
export type OpenPullRequestInput = {
  /** The branch to merge into. */
  baseBranch: string;
  /** Its description, in Markdown. */
  body?: string;
  /** Whether it is a draft, which cannot be merged. */
  draft?: boolean;
  /** The branch to merge. */
  headBranch: string;
  /** Its repository. */
  repository: RepositoryInput;
  /** Its title. */
  title: string;
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

/** How the landed commit relates to the tested commits. */
export type ProofGrade =
  /** No build tested the whole landed tree. Green builds of its parts together prove as much. */
  | 'COMPOSED'
  /** The landed commit is the tested commit. */
  | 'EXACT'
  /** The commit did not land through the queue. */
  | 'EXTERNAL'
  /** The code host made the landed commit, which has the tested tree. */
  | 'HOST_MERGED'
  /** The landed commit is another commit with the tested tree. */
  | 'SAME_TREE'
  /** A named person or setting skipped validation. */
  | 'UNVALIDATED';

/** Which pull requests to list. A field that is left out does not restrict the list. */
export type PullRequestFilter = {
  /** Only pull requests of this author. */
  author?: string | null | undefined;
  /** Only pull requests with this base branch. */
  baseBranch?: string | null | undefined;
  /** Only pull requests with one of these statuses. */
  statuses?: Array<PullRequestStatus> | null | undefined;
  /** Words, in upper or lower case. A pull request is listed if its number, title, author and head branch together contain every word. At most 200 characters. Only the newest 10,000 pull requests of the repository are searched. */
  text?: string | null | undefined;
};

/** A reference to a pull request. */
export type PullRequestRefInput = {
  /** Its number. */
  number: number;
  /** Its repository. */
  repository: RepositoryInput;
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

/** A reference to a queue. */
export type QueueRefInput = {
  /** The branch it merges into. */
  baseBranch: string;
  /** True: a dry run. Nothing changes, and `impact` says what the request would do. */
  preview?: boolean;
  /** Its repository. */
  repository: RepositoryInput;
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

/** A pull request whose build is to be made again. */
export type RetryBuildInput = {
  /** Its number. */
  number: number;
  /** True: a dry run. Nothing changes, and `impact` says what the request would do. */
  preview?: boolean;
  /** Its repository. */
  repository: RepositoryInput;
};

/** Activates or deactivates a repository. */
export type SetRepositoryActiveInput = {
  /** False deactivates the repository. True activates it again. */
  active: boolean;
  /** The repository. */
  repository: RepositoryInput;
};

/** The repository of a pull request to backport. */
export type SourceRepositoryInput = {
  /** Its name. If left out, it is the only active repository of the owner that has the pull request. */
  name?: string | null | undefined;
  /** The organization or user it belongs to. */
  owner: string;
};

/** A pull request whose branch is updated with its base branch (interface 4.3). */
export type SyncPullRequestInput = {
  /** Its number. */
  number: number;
  /** True: a dry run. Nothing changes, and `message` and `impact` say what the request would do. */
  preview?: boolean;
  /** Its repository. */
  repository: RepositoryInput;
};

/** Status of a verification. */
export type VerificationStatus =
  /** The sandbox of the preview is being set up. */
  | 'BOOTING'
  /** A user canceled the verification, or the pull request has another head or is closed. */
  | 'CANCELED'
  /** The preview is tested. If no preview is available, the code is analysed. */
  | 'DRIVING'
  /** The verification itself failed. This says nothing about the change. */
  | 'ERROR'
  /** A tested expectation was not met. */
  | 'FAILED'
  /** All tested expectations were met. */
  | 'PASSED'
  /** Interlock decides which preview the verification uses. */
  | 'PENDING'
  /** There was nothing to verify, for example because only exempt paths are changed. */
  | 'SKIPPED'
  /** The result is known, and the sandbox is being torn down. */
  | 'TEARING_DOWN'
  /** The verification waits for CI to register the preview. */
  | 'WAITING';

/** The result of a step of a scenario. */
export type VerificationStepConclusion =
  /** The step did not meet its expectation. */
  | 'FAILED'
  /** The step met its expectation. */
  | 'PASSED'
  /** The step was not tried, because an earlier step failed or because this installation cannot carry it out. */
  | 'SKIPPED';

export type PageConditionFragment = { kind: ConditionKind, name: string | null, holds: boolean, sentence: string, needed: string, observed: string, who: ExplanationActor | null, since: string | null, nextCheckAt: string | null, cause: { action: string, actor: string | null, at: string } | null };

export type ShownStepFragment = { ordinal: number, scenario: string, step: string, conclusion: VerificationStepConclusion, durationMs: number, detail: string | null };

export type VerificationStepsQueryVariables = Exact<{
  verification: string | number;
  after?: string | null | undefined;
}>;


export type VerificationStepsQuery = { node:
    | { __typename: 'ApiToken' }
    | { __typename: 'Batch' }
    | { __typename: 'BotPullRequest' }
    | { __typename: 'Deployment' }
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
    | { __typename: 'Verification', id: string, steps: { nodes: Array<{ ordinal: number, scenario: string, step: string, conclusion: VerificationStepConclusion, durationMs: number, detail: string | null }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } }
    | { __typename: 'WebhookDelivery' }
    | { __typename: 'WebhookEndpoint' }
   | null };

export type PullRequestPageQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
  asOf?: string | null | undefined;
  builds: number;
  releases: boolean;
  runbooks: boolean;
}>;


export type PullRequestPageQuery = { repository: { id: string, host: CodeHostKind, pullRequest: { id: string, number: number, title: string, body: string, author: string, status: PullRequestStatus, statusText: string | null, draft: boolean, headBranch: string, headCommitSha: string, baseBranch: string, createdAt: string, queuedAt: string | null, mergedAt: string | null, mergeCommit: string | null, requestedBy: string | null, skipLine: boolean, skipLineReason: string | null, skipValidation: boolean, releasesComplete?: boolean, affectedTargets: { count: number, names: Array<string> } | null, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }>, explain: { at: string, reason: string, who: ExplanationActor | null, kind: ExplanationKind, eta: { p50: string | null, p90: string | null, sentence: string } | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, needed: string, observed: string, who: ExplanationActor | null, since: string | null, nextCheckAt: string | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, needed: string, observed: string, who: ExplanationActor | null, since: string | null, nextCheckAt: string | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, needed: string, observed: string, who: ExplanationActor | null, since: string | null, nextCheckAt: string | null, cause: { action: string, actor: string | null, at: string } | null }>, cause: { action: string, actor: string | null, at: string } | null }>, cause: { action: string, actor: string | null, at: string } | null }> }, events: { nodes: Array<{ cursor: string, action: string }> }, batches: { nodes: Array<{ id: string, position: number, state: BatchState, cause: BatchCause, createdAt: string, endedAt: string | null, endedReason: string | null, resetCode: number | null, temporalUrl: string | null, commit: string | null, grade: ProofGrade | null, assumes: Array<{ id: string, number: number }>, parent: { id: string, position: number } | null, botPullRequest: { id: string, number: number, githubUrl: string } | null, members: Array<{ pullRequest: { id: string, number: number } }>, checks: Array<{ name: string, conclusion: CheckConclusion, attempt: number, startedAt: string | null, completedAt: string | null, summary: string | null, url: string | null }> }>, pageInfo: { hasNextPage: boolean } }, checks: Array<{ name: string, conclusion: CheckConclusion, attempt: number, startedAt: string | null, completedAt: string | null, summary: string | null, url: string | null }>, reviewThreads: Array<{ id: string, author: string, body: string, resolvedAt: string | null }>, verification: { id: string, temporalUrl: string | null, status: VerificationStatus, summary: string | null, problem: string | null, preview: { name: string, url: string | null, endedAt: string | null } | null, steps: { nodes: Array<{ ordinal: number, scenario: string, step: string, conclusion: VerificationStepConclusion, durationMs: number, detail: string | null }>, pageInfo: { hasNextPage: boolean } } } | null, landedBatch: { id: string, position: number, grade: ProofGrade | null, commit: string | null, tree: string | null, parentCommit: string, restsOn: Array<string>, endedAt: string | null, members: Array<{ pullRequest: { id: string, number: number } }>, checks: Array<{ name: string, commit: string, conclusion: CheckConclusion, attempt: number }>, proof: { digest: string, createdAt: string, document: unknown, signature: string | null, signedBy: string | null } | null } | null, firstReleaseCandidate?: { id: string, version: string, createdAt: string, status: ReleaseCandidateStatus, project: { id: string, name: string } } | null, environments?: Array<{ since: string, environment: { id: string, name: string, position: number, tier: EnvironmentTier }, releaseCandidate: { id: string, version: string } }>, runbook?: { id: string, number: number, title: string } | null } | null } | null };

export type BotPullRequestQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
}>;


export type BotPullRequestQuery = { repository: { id: string, botPullRequest: { id: string, number: number, targetBranch: string, headCommitSha: string, closedAt: string | null, batch: { id: string, position: number, state: BatchState }, pullRequests: Array<{ id: string, number: number, title: string, status: PullRequestStatus }> } | null } | null };

export type PullRequestHistoryQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
  after?: string | null | undefined;
}>;


export type PullRequestHistoryQuery = { repository: { id: string, pullRequest: { id: string, events: { nodes: Array<{ cursor: string, action: string, actor: string | null, at: string, payload: unknown }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } | null } | null };

export type PullRequestChangedSubscriptionVariables = Exact<{
  owner: string;
  name: string;
  number: number;
  after?: string | null | undefined;
}>;


export type PullRequestChangedSubscription = { pullRequestChanged: { action: string, cursor: string } };

export type BackportPullRequestMutationVariables = Exact<{
  input: BackportPullRequestInput;
}>;


export type BackportPullRequestMutation = { backportPullRequest: { message: string, pullRequest: { id: string, status: PullRequestStatus } } };

export type VerificationLogSubscriptionVariables = Exact<{
  verification: string | number;
  after?: string | null | undefined;
}>;


export type VerificationLogSubscription = { verificationLog: { text: string, cursor: string } };

export type EarlierVerificationLogQueryVariables = Exact<{
  verification: string | number;
  before?: string | null | undefined;
}>;


export type EarlierVerificationLogQuery = { node:
    | { __typename: 'ApiToken' }
    | { __typename: 'Batch' }
    | { __typename: 'BotPullRequest' }
    | { __typename: 'Deployment' }
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
    | { __typename: 'Verification', id: string, log: { nodes: Array<{ text: string, cursor: string }>, pageInfo: { hasPreviousPage: boolean } } }
    | { __typename: 'WebhookDelivery' }
    | { __typename: 'WebhookEndpoint' }
   | null };

export type PullsQueryVariables = Exact<{
  owner: string;
  name: string;
  filter?: PullRequestFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type PullsQuery = { repository: { id: string, host: CodeHostKind, active: boolean, defaultBranch: string, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }>, pullRequests: { nodes: Array<{ id: string, number: number, title: string, author: string, status: PullRequestStatus, headBranch: string, baseBranch: string, draft: boolean, createdAt: string, mergedAt: string | null, mergeCommit: string | null, explain: { reason: string, who: ExplanationActor | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } | null };

export type PullRequestsChangedSubscriptionVariables = Exact<{
  owner: string;
  name: string;
  after?: string | null | undefined;
}>;


export type PullRequestsChangedSubscription = { pullRequestChanged: { action: string, cursor: string } };

export type OpenPullRequestMutationVariables = Exact<{
  input: OpenPullRequestInput;
}>;


export type OpenPullRequestMutation = { openPullRequest: { pullRequest: { id: string, number: number } } };

export type EntryRowFragment = { id: string, number: number, title: string, status: PullRequestStatus, author: string, headCommitSha: string, queuedAt: string | null, skipLine: boolean };

export type BatchRowFragment = { id: string, position: number, state: BatchState, role: BatchRole, successProbability: number | null, buildStartedAt: string | null, parent: { id: string } | null, assumes: Array<{ id: string, number: number }>, members: Array<{ pullRequest: { id: string, number: number, position: number | null } }>, checks: Array<{ name: string, conclusion: CheckConclusion, startedAt: string | null, completedAt: string | null }>, finalGates: Array<{ workflow: string, state: FinalGateState }> };

export type QueueQueryVariables = Exact<{
  owner: string;
  name: string;
  branch: string;
  first: number;
  from: number;
  builds: number;
  asOf?: string | null | undefined;
}>;


export type QueueQuery = { repository: { id: string, createdAt: string, defaultBranch: string, host: CodeHostKind, active: boolean, queueDepth: { queued: number }, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }>, queues: Array<{ id: string, baseBranch: string }>, queue: { id: string, asOf: string | null, baseBranch: string, baseTip: string | null, builds: number, temporalUrl: string | null, paused: boolean, haltedAt: string | null, haltedReason: string | null, depth: { queued: number, processing: number, waiting: number }, pause: { message: string | null, pattern: string | null } | null, frozen: { sentence: string, until: string | null, createdBy: string } | null, line: { totalCount: number, nodes: Array<{ position: number, pullRequest: { id: string, number: number, title: string, status: PullRequestStatus, author: string, headCommitSha: string, queuedAt: string | null, skipLine: boolean }, explain: { reason: string, who: ExplanationActor | null }, eta: { p50: string | null, p90: string | null, unknown: EtaUnknown | null } | null }> }, batches: { nodes: Array<{ id: string, position: number, state: BatchState, role: BatchRole, successProbability: number | null, buildStartedAt: string | null, parent: { id: string } | null, assumes: Array<{ id: string, number: number }>, members: Array<{ pullRequest: { id: string, number: number, position: number | null } }>, checks: Array<{ name: string, conclusion: CheckConclusion, startedAt: string | null, completedAt: string | null }>, finalGates: Array<{ workflow: string, state: FinalGateState }> }> } } | null } | null };

export type NotInLineQueryVariables = Exact<{
  owner: string;
  name: string;
  branch: string;
}>;


export type NotInLineQuery = { repository: { id: string, notInLine: { nodes: Array<{ id: string, number: number, title: string, status: PullRequestStatus, author: string, headCommitSha: string, queuedAt: string | null, skipLine: boolean, explain: { reason: string, who: ExplanationActor | null } }>, pageInfo: { hasNextPage: boolean } } } | null };

export type LandingsQueryVariables = Exact<{
  owner: string;
  name: string;
  branch: string;
  asOf?: string | null | undefined;
}>;


export type LandingsQuery = { repository: { id: string, proofs: { count: number, verifiedAt: string | null, holds: boolean | null }, queue: { id: string, asOf: string | null, past: { nodes: Array<{ id: string, grade: ProofGrade | null, commit: string | null, endedAt: string | null, members: Array<{ pullRequest: { id: string, number: number, title: string } }> }> } } | null } | null };

export type DepthHistoryQueryVariables = Exact<{
  owner: string;
  name: string;
  branch: string;
  from: string;
  to: string;
}>;


export type DepthHistoryQuery = { repository: { id: string, queue: { id: string, depthHistory: Array<{ at: string, queued: number, landings: number, resets: number }> } | null } | null };

export type QueueChangedSubscriptionVariables = Exact<{
  owner: string;
  name: string;
  branch: string;
  after?: string | null | undefined;
}>;


export type QueueChangedSubscription = { queueChanged: { action: string, cursor: string } };

export type ConditionFragment = { kind: ConditionKind, name: string | null, holds: boolean, sentence: string, needed: string, observed: string, who: ExplanationActor | null, since: string | null, nextCheckAt: string | null, cause: { action: string, actor: string | null, at: string } | null };

export type InspectorQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
  asOf?: string | null | undefined;
}>;


export type InspectorQuery = { repository: { id: string, pullRequest: { id: string, number: number, title: string, author: string, status: PullRequestStatus, headBranch: string, headCommitSha: string, baseBranch: string, position: number | null, requestedBy: string | null, skipLine: boolean, skipLineReason: string | null, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }>, explain: { reason: string, who: ExplanationActor | null, kind: ExplanationKind, eta: { p50: string | null, p90: string | null, sentence: string } | null, conditions: Array<{ kind: ConditionKind, name: string | null, holds: boolean, sentence: string, needed: string, observed: string, who: ExplanationActor | null, since: string | null, nextCheckAt: string | null, cause: { action: string, actor: string | null, at: string } | null }> }, events: { nodes: Array<{ cursor: string, action: string }> }, batches: { nodes: Array<{ id: string, position: number, state: BatchState }> } } | null } | null };

export type WhoMaySkipQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type WhoMaySkipQuery = { repository: { id: string, permissionHolders: { nodes: Array<{ user: { id: string, handle: string | null, email: string } }>, pageInfo: { hasNextPage: boolean } } } | null };

export type OpenPullRequestsQueryVariables = Exact<{
  owner: string;
  name: string;
  branch: string;
  text: string;
}>;


export type OpenPullRequestsQuery = { repository: { id: string, pullRequests: { nodes: Array<{ id: string, number: number, title: string, author: string, headBranch: string, status: PullRequestStatus, headCommitSha: string }>, pageInfo: { hasNextPage: boolean } } } | null };

export type ImpactTextFragment = { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null };

export type QueuePullRequestMutationVariables = Exact<{
  input: QueuePullRequestInput;
}>;


export type QueuePullRequestMutation = { queuePullRequest: { pullRequest: { id: string, number: number, status: PullRequestStatus, statusText: string | null }, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null } };

export type DequeuePullRequestMutationVariables = Exact<{
  input: DequeuePullRequestInput;
}>;


export type DequeuePullRequestMutation = { dequeuePullRequest: { pullRequest: { id: string, number: number, status: PullRequestStatus }, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null } };

export type PauseBranchesMutationVariables = Exact<{
  input: PauseBranchesInput;
}>;


export type PauseBranchesMutation = { pauseBranches: { branchPause: { paused: boolean, pausedMessage: string | null }, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null } };

export type PauseRepositoryMutationVariables = Exact<{
  input: PauseRepositoryInput;
}>;


export type PauseRepositoryMutation = { pauseRepository: { repository: { id: string }, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null } };

export type FreezeBranchesMutationVariables = Exact<{
  input: FreezeBranchesInput;
}>;


export type FreezeBranchesMutation = { freezeBranches: { freeze: { id: string } | null, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null } };

export type UnfreezeBranchesMutationVariables = Exact<{
  input: BaseBranchesInput;
}>;


export type UnfreezeBranchesMutation = { unfreezeBranches: { deleted: number, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null } };

export type HaltQueueMutationVariables = Exact<{
  input: HaltQueueInput;
}>;


export type HaltQueueMutation = { haltQueue: { impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null, queue: { id: string, haltedAt: string | null, haltedReason: string | null } } };

export type ResumeQueueMutationVariables = Exact<{
  input: QueueRefInput;
}>;


export type ResumeQueueMutation = { resumeQueue: { impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null, queue: { id: string, haltedAt: string | null, haltedReason: string | null } } };

export type ResetQueueMutationVariables = Exact<{
  input: QueueRefInput;
}>;


export type ResetQueueMutation = { resetQueue: { impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null, queue: { id: string } } };

export type RetryBuildMutationVariables = Exact<{
  input: RetryBuildInput;
}>;


export type RetryBuildMutation = { retryBuild: { pullRequest: { id: string, status: PullRequestStatus }, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null } };

export type SyncPullRequestMutationVariables = Exact<{
  input: SyncPullRequestInput;
}>;


export type SyncPullRequestMutation = { syncPullRequest: { message: string, impact: { sentence: string, landingsHeld: Array<number>, buildMinutesLost: number, resets: Array<{ code: number, text: string, pullRequests: Array<number> }>, buildsStopped: Array<{ pullRequests: Array<number> }>, buildsStarted: Array<{ pullRequests: Array<number> }>, etasMoved: Array<{ baseBranch: string, number: number, laterSeconds: number | null }> | null } | null, pullRequest: { id: string, status: PullRequestStatus } } };

export type RefreshPullRequestMutationVariables = Exact<{
  input: PullRequestRefInput;
}>;


export type RefreshPullRequestMutation = { refreshPullRequest: { message: string, pullRequest: { id: string, status: PullRequestStatus } } };

export type ActivateRepositoryMutationVariables = Exact<{
  input: SetRepositoryActiveInput;
}>;


export type ActivateRepositoryMutation = { setRepositoryActive: { repository: { id: string, active: boolean } } };

export const PageConditionFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageCondition"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"needed"}},{"kind":"Field","name":{"kind":"Name","value":"observed"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"nextCheckAt"}},{"kind":"Field","name":{"kind":"Name","value":"cause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}}]}}]} as unknown as DocumentNode<PageConditionFragment, unknown>;
export const ShownStepFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ShownStep"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VerificationStep"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ordinal"}},{"kind":"Field","name":{"kind":"Name","value":"scenario"}},{"kind":"Field","name":{"kind":"Name","value":"step"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}}]}}]} as unknown as DocumentNode<ShownStepFragment, unknown>;
export const EntryRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EntryRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}},{"kind":"Field","name":{"kind":"Name","value":"queuedAt"}},{"kind":"Field","name":{"kind":"Name","value":"skipLine"}}]}}]} as unknown as DocumentNode<EntryRowFragment, unknown>;
export const BatchRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BatchRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Batch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"successProbability"}},{"kind":"Field","name":{"kind":"Name","value":"buildStartedAt"}},{"kind":"Field","name":{"kind":"Name","value":"parent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"assumes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}},{"kind":"Field","name":{"kind":"Name","value":"members"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"position"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"checks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"finalGates"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"workflow"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}}]}}]} as unknown as DocumentNode<BatchRowFragment, unknown>;
export const ConditionFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Condition"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"needed"}},{"kind":"Field","name":{"kind":"Name","value":"observed"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"nextCheckAt"}},{"kind":"Field","name":{"kind":"Name","value":"cause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}}]}}]} as unknown as DocumentNode<ConditionFragment, unknown>;
export const ImpactTextFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<ImpactTextFragment, unknown>;
export const VerificationStepsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"VerificationSteps"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"verification"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"verification"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Verification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"steps"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ShownStep"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ShownStep"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VerificationStep"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ordinal"}},{"kind":"Field","name":{"kind":"Name","value":"scenario"}},{"kind":"Field","name":{"kind":"Name","value":"step"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}}]}}]} as unknown as DocumentNode<VerificationStepsQuery, VerificationStepsQueryVariables>;
export const PullRequestPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PullRequestPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"builds"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"releases"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"runbooks"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"host"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"body"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}},{"kind":"Field","name":{"kind":"Name","value":"draft"}},{"kind":"Field","name":{"kind":"Name","value":"headBranch"}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"queuedAt"}},{"kind":"Field","name":{"kind":"Name","value":"mergedAt"}},{"kind":"Field","name":{"kind":"Name","value":"mergeCommit"}},{"kind":"Field","name":{"kind":"Name","value":"requestedBy"}},{"kind":"Field","name":{"kind":"Name","value":"skipLine"}},{"kind":"Field","name":{"kind":"Name","value":"skipLineReason"}},{"kind":"Field","name":{"kind":"Name","value":"skipValidation"}},{"kind":"Field","name":{"kind":"Name","value":"affectedTargets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"names"}}]}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"eta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageCondition"}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageCondition"}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageCondition"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"action"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"batches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"builds"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"cause"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}},{"kind":"Field","name":{"kind":"Name","value":"endedReason"}},{"kind":"Field","name":{"kind":"Name","value":"resetCode"}},{"kind":"Field","name":{"kind":"Name","value":"temporalUrl"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"grade"}},{"kind":"Field","name":{"kind":"Name","value":"assumes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}},{"kind":"Field","name":{"kind":"Name","value":"parent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"position"}}]}},{"kind":"Field","name":{"kind":"Name","value":"botPullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"githubUrl"}}]}},{"kind":"Field","name":{"kind":"Name","value":"members"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"checks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"attempt"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"checks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"attempt"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reviewThreads"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"body"}},{"kind":"Field","name":{"kind":"Name","value":"resolvedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"verification"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"temporalUrl"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"preview"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"steps"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ShownStep"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"landedBatch"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"grade"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"tree"}},{"kind":"Field","name":{"kind":"Name","value":"parentCommit"}},{"kind":"Field","name":{"kind":"Name","value":"restsOn"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}},{"kind":"Field","name":{"kind":"Name","value":"members"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"checks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"attempt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"proof"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"digest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"document"}},{"kind":"Field","name":{"kind":"Name","value":"signature"}},{"kind":"Field","name":{"kind":"Name","value":"signedBy"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"firstReleaseCandidate"},"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"releases"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"environments"},"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"releases"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"environment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"tier"}}]}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"releasesComplete"},"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"releases"}}}]}]},{"kind":"Field","name":{"kind":"Name","value":"runbook"},"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"runbooks"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageCondition"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"needed"}},{"kind":"Field","name":{"kind":"Name","value":"observed"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"nextCheckAt"}},{"kind":"Field","name":{"kind":"Name","value":"cause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ShownStep"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VerificationStep"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ordinal"}},{"kind":"Field","name":{"kind":"Name","value":"scenario"}},{"kind":"Field","name":{"kind":"Name","value":"step"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}}]}}]} as unknown as DocumentNode<PullRequestPageQuery, PullRequestPageQueryVariables>;
export const BotPullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"BotPullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"botPullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"targetBranch"}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}},{"kind":"Field","name":{"kind":"Name","value":"closedAt"}},{"kind":"Field","name":{"kind":"Name","value":"batch"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]} as unknown as DocumentNode<BotPullRequestQuery, BotPullRequestQueryVariables>;
export const PullRequestHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PullRequestHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<PullRequestHistoryQuery, PullRequestHistoryQueryVariables>;
export const PullRequestChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"PullRequestChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequestNumber"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequestChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"repository"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<PullRequestChangedSubscription, PullRequestChangedSubscriptionVariables>;
export const BackportPullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"BackportPullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"BackportPullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"backportPullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<BackportPullRequestMutation, BackportPullRequestMutationVariables>;
export const VerificationLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"VerificationLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"verification"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"verificationLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"verification"},"value":{"kind":"Variable","name":{"kind":"Name","value":"verification"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<VerificationLogSubscription, VerificationLogSubscriptionVariables>;
export const EarlierVerificationLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EarlierVerificationLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"verification"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"verification"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Verification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"log"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<EarlierVerificationLogQuery, EarlierVerificationLogQueryVariables>;
export const PullsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Pulls"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequestFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"host"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"25"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"headBranch"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"draft"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"mergedAt"}},{"kind":"Field","name":{"kind":"Name","value":"mergeCommit"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<PullsQuery, PullsQueryVariables>;
export const PullRequestsChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"PullRequestsChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequestChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"repository"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<PullRequestsChangedSubscription, PullRequestsChangedSubscriptionVariables>;
export const OpenPullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"OpenPullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OpenPullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"openPullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}}]}}]} as unknown as DocumentNode<OpenPullRequestMutation, OpenPullRequestMutationVariables>;
export const QueueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Queue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"builds"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}},{"kind":"Field","name":{"kind":"Name","value":"host"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"queueDepth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queues"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}},{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"baseTip"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"temporalUrl"}},{"kind":"Field","name":{"kind":"Name","value":"depth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"processing"}},{"kind":"Field","name":{"kind":"Name","value":"waiting"}}]}},{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"pause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"pattern"}}]}},{"kind":"Field","name":{"kind":"Name","value":"haltedAt"}},{"kind":"Field","name":{"kind":"Name","value":"haltedReason"}},{"kind":"Field","name":{"kind":"Name","value":"frozen"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"until"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}}]}},{"kind":"Field","name":{"kind":"Name","value":"line"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EntryRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}},{"kind":"Field","name":{"kind":"Name","value":"eta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}},{"kind":"Field","name":{"kind":"Name","value":"unknown"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"batches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"live"},"value":{"kind":"BooleanValue","value":true}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"builds"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"BatchRow"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EntryRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}},{"kind":"Field","name":{"kind":"Name","value":"queuedAt"}},{"kind":"Field","name":{"kind":"Name","value":"skipLine"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BatchRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Batch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"successProbability"}},{"kind":"Field","name":{"kind":"Name","value":"buildStartedAt"}},{"kind":"Field","name":{"kind":"Name","value":"parent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"assumes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}},{"kind":"Field","name":{"kind":"Name","value":"members"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"position"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"checks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"finalGates"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"workflow"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}}]}}]} as unknown as DocumentNode<QueueQuery, QueueQueryVariables>;
export const NotInLineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"NotInLine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","alias":{"kind":"Name","value":"notInLine"},"name":{"kind":"Name","value":"pullRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"statuses"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"PENDING"},{"kind":"EnumValue","value":"BLOCKED"}]}},{"kind":"ObjectField","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EntryRow"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"who"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EntryRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}},{"kind":"Field","name":{"kind":"Name","value":"queuedAt"}},{"kind":"Field","name":{"kind":"Name","value":"skipLine"}}]}}]} as unknown as DocumentNode<NotInLineQuery, NotInLineQueryVariables>;
export const LandingsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Landings"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"proofs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}},{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}},{"kind":"Field","alias":{"kind":"Name","value":"past"},"name":{"kind":"Name","value":"batches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"states"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"LANDED"}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"grade"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}},{"kind":"Field","name":{"kind":"Name","value":"members"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<LandingsQuery, LandingsQueryVariables>;
export const DepthHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DepthHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"depthHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}},{"kind":"Argument","name":{"kind":"Name","value":"points"},"value":{"kind":"IntValue","value":"180"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"landings"}},{"kind":"Field","name":{"kind":"Name","value":"resets"}}]}}]}}]}}]}}]} as unknown as DocumentNode<DepthHistoryQuery, DepthHistoryQueryVariables>;
export const QueueChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"QueueChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queueChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"repository"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<QueueChangedSubscription, QueueChangedSubscriptionVariables>;
export const InspectorDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Inspector"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"headBranch"}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"requestedBy"}},{"kind":"Field","name":{"kind":"Name","value":"skipLine"}},{"kind":"Field","name":{"kind":"Name","value":"skipLineReason"}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"eta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"conditions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Condition"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"action"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"batches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Condition"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MergeCondition"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"holds"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"needed"}},{"kind":"Field","name":{"kind":"Name","value":"observed"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"nextCheckAt"}},{"kind":"Field","name":{"kind":"Name","value":"cause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}}]}}]} as unknown as DocumentNode<InspectorQuery, InspectorQueryVariables>;
export const WhoMaySkipDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WhoMaySkip"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"permissionHolders"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"permission"},"value":{"kind":"EnumValue","value":"SKIP_LINE"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"8"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"handle"}},{"kind":"Field","name":{"kind":"Name","value":"email"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<WhoMaySkipQuery, WhoMaySkipQueryVariables>;
export const OpenPullRequestsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OpenPullRequests"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"text"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"statuses"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"OPEN"},{"kind":"EnumValue","value":"BLOCKED"}]}},{"kind":"ObjectField","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"text"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"headBranch"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<OpenPullRequestsQuery, OpenPullRequestsQueryVariables>;
export const QueuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"QueuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QueuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<QueuePullRequestMutation, QueuePullRequestMutationVariables>;
export const DequeuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DequeuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DequeuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dequeuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<DequeuePullRequestMutation, DequeuePullRequestMutationVariables>;
export const PauseBranchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PauseBranches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PauseBranchesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pauseBranches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branchPause"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"pausedMessage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<PauseBranchesMutation, PauseBranchesMutationVariables>;
export const PauseRepositoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PauseRepository"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PauseRepositoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pauseRepository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<PauseRepositoryMutation, PauseRepositoryMutationVariables>;
export const FreezeBranchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"FreezeBranches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"FreezeBranchesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freezeBranches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freeze"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<FreezeBranchesMutation, FreezeBranchesMutationVariables>;
export const UnfreezeBranchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UnfreezeBranches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"BaseBranchesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unfreezeBranches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleted"}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<UnfreezeBranchesMutation, UnfreezeBranchesMutationVariables>;
export const HaltQueueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"HaltQueue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"HaltQueueInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"haltQueue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"haltedAt"}},{"kind":"Field","name":{"kind":"Name","value":"haltedReason"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<HaltQueueMutation, HaltQueueMutationVariables>;
export const ResumeQueueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ResumeQueue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QueueRefInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resumeQueue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"haltedAt"}},{"kind":"Field","name":{"kind":"Name","value":"haltedReason"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<ResumeQueueMutation, ResumeQueueMutationVariables>;
export const ResetQueueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ResetQueue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QueueRefInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resetQueue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<ResetQueueMutation, ResetQueueMutationVariables>;
export const RetryBuildDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RetryBuild"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RetryBuildInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"retryBuild"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<RetryBuildMutation, RetryBuildMutationVariables>;
export const SyncPullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SyncPullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SyncPullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"syncPullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ImpactText"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ImpactText"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Impact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"resets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStopped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buildsStarted"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"}}]}},{"kind":"Field","name":{"kind":"Name","value":"landingsHeld"}},{"kind":"Field","name":{"kind":"Name","value":"buildMinutesLost"}},{"kind":"Field","name":{"kind":"Name","value":"etasMoved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"laterSeconds"}}]}}]}}]} as unknown as DocumentNode<SyncPullRequestMutation, SyncPullRequestMutationVariables>;
export const RefreshPullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RefreshPullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PullRequestRefInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"refreshPullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<RefreshPullRequestMutation, RefreshPullRequestMutationVariables>;
export const ActivateRepositoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ActivateRepository"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SetRepositoryActiveInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setRepositoryActive"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"active"}}]}}]}}]}}]} as unknown as DocumentNode<ActivateRepositoryMutation, ActivateRepositoryMutationVariables>;