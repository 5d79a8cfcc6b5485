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

/** A part of the installation, or a kind of work that has a time limit of its own. */
export type InstallationPartName =
  /** Builds of release candidates. */
  | 'BUILDS'
  /** Checks of the local host. */
  | 'CHECKS'
  /** PostgreSQL. It is well while it answers. */
  | 'DATABASE'
  /** Deployments in progress. */
  | 'DEPLOYMENTS'
  /** Landings that have started. */
  | 'LANDINGS'
  /** Deletions of old rows. */
  | 'RETENTION'
  /** Runbooks whose agent works. */
  | 'RUNBOOKS'
  /** Temporal. It is well while it answers this server. */
  | 'TEMPORAL'
  /** Verifications in progress. */
  | 'VERIFICATIONS'
  /** Deliveries of webhooks. */
  | 'WEBHOOKS'
  /** The workers. They are well while at least one of them polls Temporal. */
  | 'WORKER';

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

/** What a user may do in the account. The role limits the scopes of the user's tokens. */
export type Role =
  /** May do everything. */
  | 'ADMIN'
  /** Does everything that a member may do. Also pauses, configures, releases, freezes and deploys. */
  | 'MAINTAINER'
  /** Reads everything except the audit log, queues pull requests, creates runbooks and registers previews. */
  | 'MEMBER';

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

export type CursorQueryVariables = Exact<{ [key: string]: never; }>;


export type CursorQuery = { cursor: string };

export type ShellQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ShellQuery = { viewer: { email: string | null, handle: string | null, author: string, role: Role, scopes: Array<Scope>, account: { name: string } }, repositories: { nodes: Array<{ id: string, owner: string, name: string, defaultBranch: string, queueDepth: { queued: number }, queues: Array<{ id: string, baseBranch: string }> }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type LineLengthQueryVariables = Exact<{
  id: string | number;
}>;


export type LineLengthQuery = { node:
    | { id: string, queueDepth: { queued: number } }
    | Record<PropertyKey, never>
   | null };

export type ReleaseProjectNamesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ReleaseProjectNamesQuery = { releaseProjects: { nodes: Array<{ id: string, name: string, repository: { id: string, owner: string, name: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type ViewerCanQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerCanQuery = { viewer: { viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }> } };

export type InstallationQueryVariables = Exact<{ [key: string]: never; }>;


export type InstallationQuery = { installation: { version: string, parts: Array<{ name: InstallationPartName, well: boolean, sentence: string | null }> } };

export type SearchQueryVariables = Exact<{
  text: string;
  repository?: RepositoryInput | null | undefined;
}>;


export type SearchQuery = { here: { pullRequests: Array<{ id: string, number: number, title: string, status: PullRequestStatus, author: string, repository: { id: string, owner: string, name: string } }>, runbooks: Array<{ id: string, number: number, title: string, status: RunbookStatus }> | null }, search: { environments: Array<{ id: string, name: string, project: { id: string, name: string } }> | null, releaseCandidates: Array<{ id: string, version: string, status: ReleaseCandidateStatus, project: { id: string, name: string } }> | null } };


export const CursorDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Cursor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}}]}}]} as unknown as DocumentNode<CursorQuery, CursorQueryVariables>;
export const ShellDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Shell"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"handle"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"scopes"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"repositories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}},{"kind":"Field","name":{"kind":"Name","value":"queueDepth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queues"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]} as unknown as DocumentNode<ShellQuery, ShellQueryVariables>;
export const LineLengthDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LineLength"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Repository"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"queueDepth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}}]}}]}}]}}]} as unknown as DocumentNode<LineLengthQuery, LineLengthQueryVariables>;
export const ReleaseProjectNamesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReleaseProjectNames"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"releaseProjects"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]} as unknown as DocumentNode<ReleaseProjectNamesQuery, ReleaseProjectNamesQueryVariables>;
export const ViewerCanDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ViewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<ViewerCanQuery, ViewerCanQueryVariables>;
export const InstallationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Installation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"installation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"parts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"well"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<InstallationQuery, InstallationQueryVariables>;
export const SearchDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Search"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"text"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"repository"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"RepositoryInput"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"here"},"name":{"kind":"Name","value":"search"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"text"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}},{"kind":"Argument","name":{"kind":"Name","value":"repository"},"value":{"kind":"Variable","name":{"kind":"Name","value":"repository"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"8"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pullRequests"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"author"}},{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"runbooks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"search"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"text"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"8"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"environments"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"releaseCandidates"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<SearchQuery, SearchQueryVariables>;