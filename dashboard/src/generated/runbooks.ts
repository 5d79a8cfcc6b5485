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

/** A runbook to cancel. */
export type CancelRunbookInput = {
  /** The number of the runbook. */
  number: number;
  /** True: a dry run. Nothing changes, and `impact` says what would be stopped. */
  preview?: boolean;
};

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

/** How the commits of a runbook are divided into pull requests (interface 4.9). */
export type PrMode =
  /** No pull request is opened until `publishRunbook` is called. */
  | 'MANUAL'
  /** One pull request has all commits. */
  | 'SINGLE_PR'
  /** Each step that made commits has a pull request of its own, on top of the pull request of the step before. */
  | 'STACKED_PR';

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

/** Names a repository. */
export type RepositoryInput = {
  /** Name of the repository. */
  name: string;
  /** Organization on the code host. */
  owner: string;
};

/** A runbook to retry. */
export type RetryRunbookInput = {
  /** A higher budget, in millionths of a US dollar, at most what the repository allows. Required if the budget is spent. */
  budgetMicros?: number | null | undefined;
  /** The number of the runbook. */
  number: number;
  /** True: a dry run. Nothing changes, and `impact` says what would be retried. */
  preview?: boolean;
};

/** Status of a leaf of a runbook (interface 3.3). */
export type RunbookLeafStatus =
  /** The leaf is done. */
  | 'COMPLETED'
  /** The leaf failed, was left out, or was canceled. `error` says why. */
  | 'FAILED'
  /** An agent works on the leaf. */
  | 'IN_PROGRESS'
  /** The leaf was not started. */
  | 'NOT_STARTED'
  /** All leaves before this leaf are completed, and it waits for an agent. */
  | 'QUEUED';

/** Status of a pull request of a runbook. */
export type RunbookPullRequestState =
  /** The pull request was closed without being merged. */
  | 'CLOSED'
  /** The pull request is merged. */
  | 'MERGED'
  /** The pull request is open. */
  | 'OPEN';

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

export type RunbooksQueryVariables = Exact<{
  owner: string;
  name: string;
  after?: string | null | undefined;
}>;


export type RunbooksQuery = { repository: { id: string, runbooks: { nodes: Array<{ id: string, number: number, title: string, status: RunbookStatus, createdBy: string, createdAt: string, stepCounts: { total: number, completed: number } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } | null };

export type RunbookActionsQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type RunbookActionsQuery = { repository: { id: string, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }> } | null };

export type RunbookPageQueryVariables = Exact<{
  number: number;
}>;


export type RunbookPageQuery = { runbook: { id: string, number: number, title: string, description: string | null, status: RunbookStatus, temporalUrl: string | null, prMode: PrMode, createdBy: string, createdAt: string, problem: string | null, nextTryAt: string | null, targetBranch: string, queueWhenGreen: boolean, repository: { id: string, owner: string, name: string, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }> }, stepCounts: { total: number, completed: number }, cost: { budgetMicros: number, spentMicros: number, inputTokens: number, outputTokens: number, turns: number }, prompts: Array<{ ordinal: number, author: string, text: string, createdAt: string }>, pullRequests: Array<{ number: number, state: RunbookPullRequestState, pullRequest: { id: string, title: string, status: PullRequestStatus } | null }>, steps: Array<{ number: string, title: string, status: RunbookStatus, leaves: Array<{ number: string, title: string, status: RunbookLeafStatus, summary: string | null, error: string | null, attempts: number, startedAt: string | null, endedAt: string | null }> }> } | null };

export type RunbooksChangedSubscriptionVariables = Exact<{
  owner: string;
  name: string;
  after?: string | null | undefined;
}>;


export type RunbooksChangedSubscription = { runbookChanged: { action: string, cursor: string } };

export type RunbookChangedSubscriptionVariables = Exact<{
  number: number;
  after?: string | null | undefined;
}>;


export type RunbookChangedSubscription = { runbookChanged: { action: string, cursor: string } };

export type RunbookLogSubscriptionVariables = Exact<{
  number: number;
  after?: string | null | undefined;
}>;


export type RunbookLogSubscription = { runbookLog: { text: string, cursor: string } };

export type EarlierRunbookLogQueryVariables = Exact<{
  number: number;
  before?: string | null | undefined;
}>;


export type EarlierRunbookLogQuery = { runbook: { id: string, log: { nodes: Array<{ text: string, cursor: string }>, pageInfo: { hasPreviousPage: boolean } } } | null };

export type ContinueRunbookMutationVariables = Exact<{
  input: ContinueRunbookInput;
}>;


export type ContinueRunbookMutation = { continueRunbook: { runbook: { id: string, status: RunbookStatus } } };

export type CancelRunbookMutationVariables = Exact<{
  input: CancelRunbookInput;
}>;


export type CancelRunbookMutation = { cancelRunbook: { impact: { sentence: string, waiting: Array<string> } | null, runbook: { id: string, status: RunbookStatus } } };

export type RetryRunbookMutationVariables = Exact<{
  input: RetryRunbookInput;
}>;


export type RetryRunbookMutation = { retryRunbook: { impact: { sentence: string } | null, runbook: { id: string, status: RunbookStatus } } };

export type CreateRunbookMutationVariables = Exact<{
  input: CreateRunbookInput;
}>;


export type CreateRunbookMutation = { createRunbook: { runbook: { id: string, number: number } } };


export const RunbooksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Runbooks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"runbooks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"25"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<RunbooksQuery, RunbooksQueryVariables>;
export const RunbookActionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"RunbookActions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<RunbookActionsQuery, RunbookActionsQueryVariables>;
export const RunbookPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"RunbookPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"temporalUrl"}},{"kind":"Field","name":{"kind":"Name","value":"prMode"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"nextTryAt"}},{"kind":"Field","name":{"kind":"Name","value":"targetBranch"}},{"kind":"Field","name":{"kind":"Name","value":"queueWhenGreen"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"stepCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cost"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"budgetMicros"}},{"kind":"Field","name":{"kind":"Name","value":"spentMicros"}},{"kind":"Field","name":{"kind":"Name","value":"inputTokens"}},{"kind":"Field","name":{"kind":"Name","value":"outputTokens"}},{"kind":"Field","name":{"kind":"Name","value":"turns"}}]}},{"kind":"Field","name":{"kind":"Name","value":"prompts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ordinal"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"pullRequest"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"steps"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"leaves"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}}]}}]}}]}}]}}]} as unknown as DocumentNode<RunbookPageQuery, RunbookPageQueryVariables>;
export const RunbooksChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"RunbooksChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbookChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"repository"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<RunbooksChangedSubscription, RunbooksChangedSubscriptionVariables>;
export const RunbookChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"RunbookChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbookChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<RunbookChangedSubscription, RunbookChangedSubscriptionVariables>;
export const RunbookLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"RunbookLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbookLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]}}]} as unknown as DocumentNode<RunbookLogSubscription, RunbookLogSubscriptionVariables>;
export const EarlierRunbookLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EarlierRunbookLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"number"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"number"},"value":{"kind":"Variable","name":{"kind":"Name","value":"number"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"log"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<EarlierRunbookLogQuery, EarlierRunbookLogQueryVariables>;
export const ContinueRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ContinueRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ContinueRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"continueRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<ContinueRunbookMutation, ContinueRunbookMutationVariables>;
export const CancelRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CancelRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cancelRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}},{"kind":"Field","name":{"kind":"Name","value":"waiting"}}]}},{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<CancelRunbookMutation, CancelRunbookMutationVariables>;
export const RetryRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RetryRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RetryRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"retryRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]} as unknown as DocumentNode<RetryRunbookMutation, RetryRunbookMutationVariables>;
export const CreateRunbookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRunbook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateRunbookInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRunbook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"runbook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}}]}}]} as unknown as DocumentNode<CreateRunbookMutation, CreateRunbookMutationVariables>;