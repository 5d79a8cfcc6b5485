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

/** The effect of a change of a key on existing builds. */
export type ConfigurationMark =
  /** Existing builds were made with the old value, and are reset (307). */
  | 'BUILD'
  /** Existing builds are judged again. Nothing is rebuilt. */
  | 'GATE'
  /** Existing builds stay valid. The new value applies from now on. */
  | 'OTHER';

/** The code hosts on which Interlock can create repositories. */
export type CreatableCodeHost =
  /** On this installation, served under /git. */
  | 'LOCAL';

/** A link to create. */
export type CreateEmbedLinkInput = {
  /** The base branch whose queue the link shows. The queue need not exist yet. */
  baseBranch: string;
  /** When the link expires, within 730 days. Default: in 90 days. */
  expiresAt?: string | null | undefined;
  /** The repository. */
  repository: RepositoryInput;
};

/** A link to create, by which a GitHub App of the account is created. */
export type CreateGitHubAppLinkInput = {
  /** The login of the organization that is to own the App. Null: the person who opens the link owns it. */
  organization?: string | null | undefined;
  /** Address of the GitHub server: https://github.com, https://<name>.ghe.com, or the server that the operator of Interlock named by --github or GITHUB_SERVER. Any other server is refused with BAD_INPUT. Null: the server that the operator named, or https://github.com if the operator named none. */
  server?: string | null | undefined;
};

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

/** A configuration to check without storing it. */
export type PreviewConfigurationInput = {
  /** The repository. */
  repository: RepositoryInput;
  /** The YAML document. */
  yaml: string;
};

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

/** A link to revoke. */
export type RevokeEmbedLinkInput = {
  /** The link. */
  id: string | number;
};

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

/** The state of a simulation. */
export type SimulationState =
  /** `outcome` has the result. */
  | 'DONE'
  /** It ended without a result. `problem` says why. */
  | 'FAILED'
  /** The process that ran it has ended, for example because Interlock was started again. */
  | 'LOST'
  /** It runs. */
  | 'RUNNING';

export type ConfigurationQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type ConfigurationQuery = { repository: { id: string, configuration: { hash: string, yaml: string }, configurationRefusal: { commitSha: string, errors: Array<string>, refusedAt: string } | null, configurationHistory: { nodes: Array<{ id: string, modifiedAt: string, modifiedBy: { email: string | null, ghUsername: string | null } }> } } | null };

export type ConfigurationChangesQueryVariables = Exact<{
  owner: string;
  name: string;
  after?: string | null | undefined;
}>;


export type ConfigurationChangesQuery = { repository: { id: string, changes: { nodes: Array<{ id: string, modifiedAt: string, diff: string, modifiedBy: { email: string | null, ghUsername: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } | null };

export type PreviewConfigurationQueryVariables = Exact<{
  input: PreviewConfigurationInput;
}>;


export type PreviewConfigurationQuery = { previewConfiguration: { accepted: boolean, problems: Array<{ code: string, line: number | null, column: number | null, path: Array<string>, reason: string, nearestKey: string | null }>, changedKeys: Array<{ key: string, before: string | null, after: string | null, mark: ConfigurationMark }>, impact: { sentence: string } | null } };

export type TallyFragment = { landed: number, builds: number, buildsPerLanding: number | null, ejected: number, ejectedUnjustly: number, landedPerHour: number, waits: { p50: number, p90: number } | null };

export type SimulationsQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type SimulationsQuery = { repository: { id: string, simulations: Array<{ state: SimulationState, progress: number, days: number, yaml: string | null, problem: string | null, createdBy: string, createdAt: string, outcome: { arrivals: number, assumptions: Array<string>, observed: { landed: number, builds: number, buildsPerLanding: number | null, ejected: number, landedPerHour: number, waits: { p50: number, p90: number } | null } | null, present: { landed: number, builds: number, buildsPerLanding: number | null, ejected: number, ejectedUnjustly: number, landedPerHour: number, waits: { p50: number, p90: number } | null } | null, other: { landed: number, builds: number, buildsPerLanding: number | null, ejected: number, ejectedUnjustly: number, landedPerHour: number, waits: { p50: number, p90: number } | null } | null } | null }> } | null };

export type StartSimulationMutationVariables = Exact<{
  input: SimulateQueueInput;
}>;


export type StartSimulationMutation = { startSimulation: { problems: Array<{ reason: string }> } };

export type ReplaceConfigurationMutationVariables = Exact<{
  input: ReplaceConfigurationInput;
}>;


export type ReplaceConfigurationMutation = { replaceConfiguration: { impact: { sentence: string } | null, outcome:
      | { __typename: 'ConfigurationAccepted' }
      | { __typename: 'ConfigurationRefused', messages: Array<string> }
     } };

export type CreateRepositoryMutationVariables = Exact<{
  input: CreateRepositoryInput;
}>;


export type CreateRepositoryMutation = { createRepository: { repository: { id: string, owner: string, name: string } } };

export type CreateGitHubAppLinkMutationVariables = Exact<{
  input: CreateGitHubAppLinkInput;
}>;


export type CreateGitHubAppLinkMutation = { createGitHubAppLink: { url: string } };

export type EmbedLinksQueryVariables = Exact<{
  owner: string;
  name: string;
}>;


export type EmbedLinksQuery = { repository: { id: string, defaultBranch: string, viewerCan: Array<{ action: Action, allowed: boolean, sentence: string | null }>, queues: Array<{ id: string, baseBranch: string }>, embedLinks: Array<{ id: string, baseBranch: string, createdBy: string, createdAt: string, expiresAt: string, revokedAt: string | null, lastUsedAt: string | null }> } | null };

export type CreateEmbedLinkMutationVariables = Exact<{
  input: CreateEmbedLinkInput;
}>;


export type CreateEmbedLinkMutation = { createEmbedLink: { url: string, badgeUrl: string, embedLink: { id: string } } };

export type RevokeEmbedLinkMutationVariables = Exact<{
  input: RevokeEmbedLinkInput;
}>;


export type RevokeEmbedLinkMutation = { revokeEmbedLink: { embedLink: { id: string, revokedAt: string | null } } };

export const TallyFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Tally"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SimulatedQueue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"buildsPerLanding"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"ejectedUnjustly"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]}}]} as unknown as DocumentNode<TallyFragment, unknown>;
export const ConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Configuration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"configuration"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"yaml"}}]}},{"kind":"Field","name":{"kind":"Name","value":"configurationRefusal"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"commitSha"}},{"kind":"Field","name":{"kind":"Name","value":"errors"}},{"kind":"Field","name":{"kind":"Name","value":"refusedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"configurationHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"modifiedAt"}},{"kind":"Field","name":{"kind":"Name","value":"modifiedBy"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"ghUsername"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<ConfigurationQuery, ConfigurationQueryVariables>;
export const ConfigurationChangesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ConfigurationChanges"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","alias":{"kind":"Name","value":"changes"},"name":{"kind":"Name","value":"configurationHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"modifiedAt"}},{"kind":"Field","name":{"kind":"Name","value":"diff"}},{"kind":"Field","name":{"kind":"Name","value":"modifiedBy"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"ghUsername"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ConfigurationChangesQuery, ConfigurationChangesQueryVariables>;
export const PreviewConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PreviewConfiguration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PreviewConfigurationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"previewConfiguration"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"nearestKey"}}]}},{"kind":"Field","name":{"kind":"Name","value":"changedKeys"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"mark"}}]}},{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}}]}}]}}]} as unknown as DocumentNode<PreviewConfigurationQuery, PreviewConfigurationQueryVariables>;
export const SimulationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Simulations"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"simulations"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"progress"}},{"kind":"Field","name":{"kind":"Name","value":"days"}},{"kind":"Field","name":{"kind":"Name","value":"yaml"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"arrivals"}},{"kind":"Field","name":{"kind":"Name","value":"assumptions"}},{"kind":"Field","name":{"kind":"Name","value":"observed"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"buildsPerLanding"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"present"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Tally"}}]}},{"kind":"Field","name":{"kind":"Name","value":"other"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Tally"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Tally"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SimulatedQueue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"landed"}},{"kind":"Field","name":{"kind":"Name","value":"builds"}},{"kind":"Field","name":{"kind":"Name","value":"buildsPerLanding"}},{"kind":"Field","name":{"kind":"Name","value":"ejected"}},{"kind":"Field","name":{"kind":"Name","value":"ejectedUnjustly"}},{"kind":"Field","name":{"kind":"Name","value":"landedPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"waits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"}},{"kind":"Field","name":{"kind":"Name","value":"p90"}}]}}]}}]} as unknown as DocumentNode<SimulationsQuery, SimulationsQueryVariables>;
export const StartSimulationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"StartSimulation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SimulateQueueInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startSimulation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}}]}}]} as unknown as DocumentNode<StartSimulationMutation, StartSimulationMutationVariables>;
export const ReplaceConfigurationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReplaceConfiguration"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReplaceConfigurationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"replaceConfiguration"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"impact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"outcome"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ConfigurationRefused"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messages"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ReplaceConfigurationMutation, ReplaceConfigurationMutationVariables>;
export const CreateRepositoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRepository"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateRepositoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRepository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<CreateRepositoryMutation, CreateRepositoryMutationVariables>;
export const CreateGitHubAppLinkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateGitHubAppLink"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateGitHubAppLinkInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createGitHubAppLink"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<CreateGitHubAppLinkMutation, CreateGitHubAppLinkMutationVariables>;
export const EmbedLinksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EmbedLinks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"owner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"repository"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"owner"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"defaultBranch"}},{"kind":"Field","name":{"kind":"Name","value":"viewerCan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"allowed"}},{"kind":"Field","name":{"kind":"Name","value":"sentence"}}]}},{"kind":"Field","name":{"kind":"Name","value":"queues"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}}]}},{"kind":"Field","name":{"kind":"Name","value":"embedLinks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"baseBranch"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}},{"kind":"Field","name":{"kind":"Name","value":"revokedAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastUsedAt"}}]}}]}}]}}]} as unknown as DocumentNode<EmbedLinksQuery, EmbedLinksQueryVariables>;
export const CreateEmbedLinkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateEmbedLink"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateEmbedLinkInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createEmbedLink"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"badgeUrl"}},{"kind":"Field","name":{"kind":"Name","value":"embedLink"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<CreateEmbedLinkMutation, CreateEmbedLinkMutationVariables>;
export const RevokeEmbedLinkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RevokeEmbedLink"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RevokeEmbedLinkInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"revokeEmbedLink"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"embedLink"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"revokedAt"}}]}}]}}]}}]} as unknown as DocumentNode<RevokeEmbedLinkMutation, RevokeEmbedLinkMutationVariables>;