/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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

/** The code hosts on which Interlock can create repositories. */
export type CreatableCodeHost =
  /** On this installation, served under /git. */
  | 'LOCAL';

/** A repository to create. */
export type CreateRepositoryInput = {
  /** The default branch. The first push to this branch creates it. */
  defaultBranch?: string;
  /** The code host that stores the repository. */
  host: CreatableCodeHost;
  /** Letters, digits, dots, hyphens and underscores, at most 100. */
  name: string;
  /** Organization: letters and digits, with single hyphens or underscores between them, at most 39. Not the first word of an address of Interlock, such as api or settings. */
  owner: string;
};

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

/** Names a repository. */
export type RepositoryInput = {
  /** Name of the repository. */
  name: string;
  /** Organization on the code host. */
  owner: string;
};

export type PullRequestQueryVariables = Exact<{
  owner: string;
  name: string;
  number: number;
}>;


export type PullRequestQuery = { repository: { pullRequest: { id: string, number: number, status: PullRequestStatus, queuedAt: string | null, mergedAt: string | null, mergeCommit: string | null, commit: string | null, statusCode: number | null, statusText: string | null } | null } | null };

export type CreateRepositoryMutationVariables = Exact<{
  input: CreateRepositoryInput;
}>;


export type CreateRepositoryMutation = { createRepository: { repository: { id: string, owner: string, name: string, defaultBranch: string } } };

export type OpenPullRequestMutationVariables = Exact<{
  input: OpenPullRequestInput;
}>;


export type OpenPullRequestMutation = { openPullRequest: { pullRequest: { id: string, number: number, status: PullRequestStatus } } };

export type QueuePullRequestMutationVariables = Exact<{
  input: QueuePullRequestInput;
}>;


export type QueuePullRequestMutation = { queuePullRequest: { pullRequest: { number: number, status: PullRequestStatus, queued: boolean } } };

export type DequeuePullRequestMutationVariables = Exact<{
  input: DequeuePullRequestInput;
}>;


export type DequeuePullRequestMutation = { dequeuePullRequest: { pullRequest: { number: number, status: PullRequestStatus, queued: boolean } } };

export type QueueOverviewQueryVariables = Exact<{
  owner: string;
  name: string;
  baseBranch: string;
}>;


export type QueueOverviewQuery = { repository: { id: string, paused: boolean, queueDepth: { queued: number, processing: number, waiting: number }, queue: { haltedReason: string | null, builds: number, entries: Array<{ number: number, status: PullRequestStatus, position: number | null, explain: { kind: ExplanationKind, who: ExplanationActor | null, sentence: string } }>, batches: { nodes: Array<{ state: BatchState, members: Array<{ headCommitSha: string, pullRequest: { number: number } }>, botPullRequest: { number: number } | null, checks: Array<{ name: string, conclusion: CheckConclusion }> }> } } | null } | null };


export const PullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"queuedAt"}},{"kind":"Field","name":{"kind":"Name","value":"mergedAt"}},{"kind":"Field","name":{"kind":"Name","value":"mergeCommit"}},{"kind":"Field","name":{"kind":"Name","value":"commit"}},{"kind":"Field","name":{"kind":"Name","value":"statusCode"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}}]}}]}}]}}]} as unknown as DocumentNode<PullRequestQuery, PullRequestQueryVariables>;
export const CreateRepositoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRepository"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateRepositoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRepository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}}]}}]}}]}}]} as unknown as DocumentNode<CreateRepositoryMutation, CreateRepositoryMutationVariables>;
export const OpenPullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"OpenPullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OpenPullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"openPullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<OpenPullRequestMutation, OpenPullRequestMutationVariables>;
export const QueuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"QueuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QueuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}}]}}]}}]} as unknown as DocumentNode<QueuePullRequestMutation, QueuePullRequestMutationVariables>;
export const DequeuePullRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DequeuePullRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DequeuePullRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dequeuePullRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}}]}}]}}]} as unknown as DocumentNode<DequeuePullRequestMutation, DequeuePullRequestMutationVariables>;
export const QueueOverviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"QueueOverview"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"paused"}},{"kind":"Field","name":{"kind":"Name","value":"queueDepth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"processing"}},{"kind":"Field","name":{"kind":"Name","value":"waiting"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"baseBranch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"baseBranch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"haltedReason"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"entries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"explain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"who"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"batches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"live"},"value":{"kind":"BooleanValue","value":true}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"members"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}}]}},{"kind":"Field","name":{"kind":"Name","value":"headCommitSha"}}]}},{"kind":"Field","name":{"kind":"Name","value":"botPullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}}]}},{"kind":"Field","name":{"kind":"Name","value":"checks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"conclusion"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<QueueOverviewQuery, QueueOverviewQueryVariables>;