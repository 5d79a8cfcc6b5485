// Makes the body of a webhook from a recorded event. Undocumented facts of the event are left out.
import { statusText } from '../queue/model/status.ts';
import type { BlockCode, PullRequestStatus, ResetCode } from '../queue/model/snapshot.ts';
import {
  batchActions,
  batchPayload,
  configChangePayload,
  configurationRefusedPayload,
  pullRequestActions,
  pullRequestPayload,
  type BatchAction,
  type BatchPayload,
  type BotPullRequestFacts,
  type ConfigChangePayload,
  type ConfigurationRefusedPayload,
  type PullRequestAction,
  type PullRequestFacts,
  type PullRequestPayload,
  type RepositoryName,
} from './payloads.ts';
import {
  baseBranchActions,
  baseBranchPayload,
  candidateActions,
  candidatePayload,
  deploymentActions,
  deploymentPayload,
  environmentActions,
  environmentPayload,
  isCandidateStatus,
  isDeploymentStatus,
  isFreezeSource,
  type BaseBranchAction,
  type BaseBranchPayload,
  type CandidateAction,
  type CandidatePayload,
  type DeploymentAction,
  type DeploymentPayload,
  type EnvironmentAction,
  type EnvironmentPayload,
  type FreezeFacts,
} from './release-payloads.ts';
import { configurationAction, refusedConfigurationAction } from './subscription.ts';

export interface RecordedEvent {
  readonly action: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type WebhookBody =
  | PullRequestPayload
  | BatchPayload
  | ConfigChangePayload
  | ConfigurationRefusedPayload
  | DeploymentPayload
  | CandidatePayload
  | EnvironmentPayload
  | BaseBranchPayload;

/** Null for events that are never sent: internal actions, and actions about a closed pull request. */
export function webhookBody(event: RecordedEvent, repository: RepositoryName): WebhookBody | null {
  const { action, payload } = event;
  if (isOneOf(pullRequestActions, action)) return pullRequestBody(action, payload, repository);
  if (isOneOf(batchActions, action)) return batchBody(action, payload, repository);
  if (isOneOf(deploymentActions, action)) return deploymentBody(action, payload, repository);
  if (isOneOf(candidateActions, action)) return candidateBody(action, payload, repository);
  if (isOneOf(environmentActions, action)) return environmentBody(action, payload, repository);
  if (isOneOf(baseBranchActions, action)) return baseBranchBody(action, payload, repository);
  if (action === refusedConfigurationAction) return refusedConfigurationBody(payload, repository);
  return action === configurationAction ? configurationBody(payload, repository) : null;
}

type Facts = Readonly<Record<string, unknown>>;

function pullRequestBody(action: PullRequestAction, facts: Facts, repository: RepositoryName): WebhookBody | null {
  return pullRequestPayload(action, repository, {
    ...pullRequestFacts(facts),
    message: optional(facts['message'], isText),
    failedChecks: optional(facts['failedChecks'], isTexts),
    resetCode: optional(facts['resetCode'], isNumber),
    resetText: optional(facts['resetText'], isText),
    pullRequestsReset: optional(facts['pullRequestsReset'], isNumber),
    botPullRequestsClosed: optional(facts['botPullRequestsClosed'], isNumber),
    botPullRequest: optional(facts['botPullRequest'], isBotPullRequest),
    blockingPullRequests: optional(facts['blockingPullRequests'], isNumbers),
    instantMerge: optional(facts['instantMerge'], isBoolean),
  });
}

function batchBody(action: BatchAction, facts: Facts, repository: RepositoryName): WebhookBody {
  const members = Array.isArray(facts['pullRequests']) ? facts['pullRequests'] : [];
  return batchPayload(action, repository, {
    pullRequests: members.map((member: Facts) => pullRequestFacts(member)),
    message: optional(facts['message'], isText),
    batchCommitSha: optional(facts['batchCommitSha'], isText) ?? null,
  });
}

function configurationBody(facts: Facts, repository: RepositoryName): WebhookBody {
  return configChangePayload(repository, {
    email: optional(facts['email'], isText) ?? null,
    ghUsername: optional(facts['ghUsername'], isText) ?? null,
    commitSha: optional(facts['commitSha'], isText) ?? null,
    modifiedAt: optional(facts['modifiedAt'], isText) ?? '',
    diff: optional(facts['diff'], isText) ?? '',
  });
}

function refusedConfigurationBody(facts: Facts, repository: RepositoryName): WebhookBody {
  return configurationRefusedPayload(repository, {
    ghUsername: optional(facts['ghUsername'], isText) ?? null,
    commitSha: text(facts['commitSha']),
    errors: optional(facts['errors'], isTexts) ?? [],
    refusedAt: text(facts['refusedAt']),
  });
}

function deploymentBody(action: DeploymentAction, facts: Facts, repository: RepositoryName): WebhookBody {
  return deploymentPayload(action, repository, {
    id: text(facts['id']),
    project: text(facts['project']),
    environment: text(facts['environment']),
    actor: text(facts['actor']),
    releaseVersion: text(facts['releaseVersion']),
    version: text(facts['version']),
    fromReleaseVersion: optional(facts['fromReleaseVersion'], isText) ?? null,
    fromVersion: optional(facts['fromVersion'], isText) ?? null,
    status: optional(facts['status'], isDeploymentStatus) ?? 'unknown',
    errorMessage: optional(facts['errorMessage'], isText) ?? null,
    rollbackOf: optional(facts['rollbackOf'], isText) ?? null,
    createdAt: text(facts['createdAt']),
    deployStartAt: optional(facts['deployStartAt'], isText) ?? null,
    deployEndAt: optional(facts['deployEndAt'], isText) ?? null,
    lateUpdate: facts['lateUpdate'] === true,
  });
}

function candidateBody(action: CandidateAction, facts: Facts, repository: RepositoryName): WebhookBody {
  return candidatePayload(action, repository, {
    id: text(facts['id']),
    project: text(facts['project']),
    releaseVersion: text(facts['releaseVersion']),
    version: text(facts['version']),
    commit: text(facts['commit']),
    status: optional(facts['status'], isCandidateStatus) ?? 'building',
    createdAt: text(facts['createdAt']),
    actor: text(facts['actor']),
    errorMessage: optional(facts['errorMessage'], isText) ?? null,
  });
}

function environmentBody(action: EnvironmentAction, facts: Facts, repository: RepositoryName): WebhookBody {
  return environmentPayload(action, repository, {
    project: text(facts['project']),
    environment: text(facts['environment']),
    freeze: freezeFacts(facts),
  });
}

function baseBranchBody(action: BaseBranchAction, facts: Facts, repository: RepositoryName): WebhookBody {
  return baseBranchPayload(action, repository, {
    baseBranch: text(facts['baseBranch']),
    freeze: freezeFacts(facts),
  });
}

function freezeFacts(facts: Facts): FreezeFacts | null {
  const source = optional(facts['source'], isFreezeSource);
  if (source === undefined) return null;
  return {
    source,
    reason: optional(facts['reason'], isText) ?? null,
    createdBy: text(facts['by']),
    until: optional(facts['until'], isText) ?? null,
  };
}

function pullRequestFacts(facts: Facts): PullRequestFacts {
  const statusCode = optional(facts['statusCode'], isNumber) ?? null;
  return {
    number: optional(facts['number'], isNumber) ?? 0,
    author: optional(facts['author'], isText) ?? '',
    status: (optional(facts['status'], isText) ?? 'open') as PullRequestStatus,
    skipLine: optional(facts['skipLine'], isBoolean) ?? false,
    statusCode,
    // The event's code takes precedence: the pull request itself may have none, for example after a dequeue.
    statusText: optional(facts['statusText'], isText) ?? (statusCode === null ? null : textOf(statusCode)),
  };
}

function textOf(code: number): string | null {
  return statusText(code as BlockCode | ResetCode) ?? null;
}

function optional<T>(value: unknown, is: (value: unknown) => value is T): T | undefined {
  return is(value) ? value : undefined;
}

function text(value: unknown): string {
  return isText(value) ? value : '';
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);
const isBotPullRequest = (value: unknown): value is BotPullRequestFacts =>
  typeof value === 'object' && value !== null && 'preBatchSha' in value;

function isOneOf<const Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
