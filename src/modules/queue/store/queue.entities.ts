// Defines the entities of the queue. ARCHITECTURE.md says what each table is for, and migrations/ has the comments of
// the columns. Rows that are only read and written by SQL have no entity.
import type { Actor } from '../../../domain/queue/requests/admission.ts';
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { HostRules } from '../../../domain/queue/landing/host-rules.ts';
import type { StatusCheck } from '../../../domain/queue/explain/status-comment.ts';
import type { MergeStrategy } from '../../../domain/queue/model/rules.ts';
import type { BatchState, BisectionPhase, PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';

export const QueueEntity = defineEntity({
  name: 'Queue',
  tableName: 'queue',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    repositoryId: p.bigint('string'),
    baseBranch: p.string(),
    version: p.bigint('number').default(1),
    plannedVersion: p.bigint('number').default(0),
    plannerVersion: p.integer().default(1),
    nextLookAt: p.datetime().nullable(),
    haltedReason: p.string().nullable(),
    haltedAt: p.datetime().nullable(),
    notifiedHold: p.string().nullable(),
    notifiedWays: p.string().nullable(),
    waiting: p.integer().default(0),
    tagged: p.integer().default(0),
    baseTip: p.string().nullable(),
    baseTree: p.string().nullable(),
    baseMovedAt: p.datetime().nullable(),
    hostRequiredChecks: p.array().default([]),
    hostRules: p.json<HostRules>().nullable(),
    hostRulesUntil: p.datetime().nullable(),
    rulesReportedAt: p.datetime().nullable(),
    hostWaitUntil: p.datetime().nullable(),
    managedFrom: p.string().nullable(),
    lastDeletedLandingId: p.bigint('string').nullable(),
    nextPosition: p.bigint('number').default(1),
    nextRank: p.bigint('number').default(1),
    updatesWait: p.boolean().default(false),
    createdAt: p.datetime(),
  },
});

/** The service's check `interlock` on a head, as last published at the host. */
export interface PublishedCheck extends StatusCheck {
  readonly commit: string;
  /** Increases with each publication. */
  readonly version: number;
  /** RFC 3339 in UTC. */
  readonly publishedAt: string;
}

/** What an `update` of the API reported about a head that Interlock has not read from the host yet. */
export interface AwaitedHead {
  readonly head: string;
  readonly affectedTargets: readonly string[] | null;
  readonly mergeCommitMessage: { readonly title: string | null; readonly body: string | null } | null;
}

export const PullRequestEntity = defineEntity({
  name: 'PullRequest',
  tableName: 'pull_request',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    repositoryId: p.bigint('string'),
    queueId: p.bigint('string').nullable(),
    number: p.integer(),
    title: p.string(),
    body: p.text().default(''),
    author: p.string(),
    headBranch: p.string(),
    headFork: p.string().nullable(),
    baseBranch: p.string(),
    headSha: p.string(),
    headUnseen: p.boolean().default(false),
    authorName: p.string(),
    authorEmail: p.string(),
    draft: p.boolean().default(false),
    labels: p.array().default([]),
    labelUnseenSince: p.datetime().nullable(),
    approvals: p.integer().default(0),
    changesRequested: p.boolean().default(false),
    unresolvedConversations: p.integer().default(0),
    ownerReviewMissing: p.boolean().default(false),
    requiredReviewMissing: p.boolean().default(false),
    failedValidations: p.array().default([]),
    validatedBy: p.string().default(''),
    unverifiedCommits: p.integer().nullable(),
    verifiedHead: p.string().nullable(),
    queueLabels: p.array().default([]),
    url: p.string(),
    status: p.string().$type<PullRequestStatus>().default('open'),
    statusCode: p.integer().nullable(),
    statusText: p.string().nullable(),
    statusActor: p.string().$type<Actor>().nullable(),
    failedChecks: p.array().default([]),
    skipLine: p.boolean().default(false),
    skipLineReason: p.string().nullable(),
    skipValidation: p.boolean().default(false),
    requestedBy: p.string().nullable(),
    affectedTargets: p.array().lazy().nullable(),
    mergeTitle: p.string().nullable(),
    mergeBody: p.string().nullable(),
    awaited: p.json<AwaitedHead>().nullable(),
    mergeRequestedAt: p.datetime().nullable(),
    mergeRequestedBy: p.string().nullable(),
    belowId: p.bigint('string').nullable(),
    rank: p.bigint('number').nullable(),
    reorderedForFailure: p.boolean().default(false),
    timesPassed: p.integer().default(0),
    queuedAt: p.datetime().nullable(),
    preconditionsHeldAt: p.datetime().nullable(),
    topAnnounced: p.boolean().default(false),
    stuckAnnounced: p.boolean().default(false),
    requeueAttempts: p.integer().default(0),
    syncCount: p.integer().default(0),
    bisectionGroup: p.string().nullable(),
    bisectionMax: p.integer().nullable(),
    bisectionAttempts: p.integer().default(0),
    bisectionPhase: p.string().$type<BisectionPhase>().default('in_place'),
    conflictParent: p.string().nullable(),
    conflictAfter: p.array().nullable(),
    notifyAt: p.datetime().nullable(),
    notificationVersion: p.bigint('number').default(0),
    hasStatusComment: p.boolean().default(false),
    statusCheck: p.json<PublishedCheck>().nullable(),
    mergeCommitSha: p.string().nullable(),
    ownCommitSha: p.string().nullable(),
    mergedByQueue: p.boolean().nullable(),
    readAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    lastOpenedAt: p.datetime(),
    baseChangedAt: p.datetime().nullable(),
    otherBaseUntil: p.datetime().nullable(),
    baseFollowedSince: p.datetime(),
    updatedAt: p.datetime().onUpdate(() => new Date()),
    mergedAt: p.datetime().nullable(),
    closedAt: p.datetime().nullable(),
  },
});

export type BatchRowState = 'making' | 'building' | 'landing' | 'landed' | 'failed' | 'bisected' | 'superseded';

export const BatchEntity = defineEntity({
  name: 'Batch',
  tableName: 'batch',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    queueId: p.bigint('string'),
    repositoryId: p.bigint('string'),
    position: p.bigint('number'),
    sideBuild: p.string().$type<NonNullable<BatchState['sideBuild']>>().nullable(),
    cause: p.string().$type<'new' | 'optimistic' | 'bisect' | 'probe' | 'retry'>(),
    mode: p.string().$type<'serial' | 'parallel'>(),
    state: p.string().$type<BatchRowState>().default('making'),
    parentBatchId: p.bigint('string').nullable(),
    parentCommit: p.string(),
    baseCommit: p.string(),
    restsOn: p.array().default([]),
    preBatchCommit: p.string().nullable(),
    content: p.string().nullable(),
    strategy: p.string().$type<MergeStrategy>(),
    batchCommit: p.string().$type<'group' | 'linear'>(),
    buildKeysHash: p.string(),
    groupMessage: p.text(),
    commit: p.string().nullable(),
    tree: p.string().nullable(),
    testedCommit: p.string().nullable(),
    resetCode: p.integer().nullable(),
    causedBy: p.bigint('string').nullable(),
    givenUp: p.boolean().default(false),
    commitMissing: p.boolean().default(false),
    endedReason: p.string().nullable(),
    createdAt: p.datetime(),
    buildStartedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    cleanedUpAt: p.datetime().nullable(),
  },
});

export const BatchMemberEntity = defineEntity({
  name: 'BatchMember',
  tableName: 'batch_member',
  primaryKeys: ['batchId', 'ordinal'],
  properties: {
    accountId: p.bigint('string'),
    batchId: p.bigint('string').primary(),
    ordinal: p.integer().primary(),
    pullRequestId: p.bigint('string'),
    pinnedHead: p.string(),
    message: p.text(),
    authorName: p.string(),
    authorEmail: p.string(),
    strategy: p.string().$type<MergeStrategy>().nullable(),
    namesCoauthors: p.boolean().default(false),
    belowHead: p.string().nullable(),
    joinsNext: p.boolean().default(false),
    ownCommit: p.string().nullable(),
  },
});

/** A pull request that a speculative build contains between its base commit and its members. */
export const BatchAssumptionEntity = defineEntity({
  name: 'BatchAssumption',
  tableName: 'batch_assumption',
  primaryKeys: ['batchId', 'ordinal'],
  properties: {
    accountId: p.bigint('string'),
    batchId: p.bigint('string').primary(),
    ordinal: p.integer().primary(),
    pullRequestId: p.bigint('string'),
    pinnedHead: p.string(),
    strategy: p.string().$type<MergeStrategy>(),
    belowHead: p.string().nullable(),
    joinsNext: p.boolean().default(false),
  },
});

export const BotPullRequestEntity = defineEntity({
  name: 'BotPullRequest',
  tableName: 'bot_pull_request',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    repositoryId: p.bigint('string'),
    batchId: p.bigint('string'),
    number: p.integer(),
    url: p.string(),
    branch: p.string(),
    targetBranch: p.string(),
    headCommitSha: p.string(),
    preBatchSha: p.string(),
    heirBatchId: p.bigint('string').nullable(),
    idle: p.boolean().default(false),
    openedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    closedAt: p.datetime().nullable(),
  },
});

/**
 * `comment` and `status_check` publish the status of a pull request, `reply` replies to a person, `label` adds or
 * removes a label, `read_checks` reads the checks again, `retry_check` reruns a failed check, `run_gate` starts a final
 * gate, and `close_bot_pull_request` closes a bot pull request that no build takes over.
 */
export type IntentKind =
  | 'land'
  | 'conclude_pull_request'
  | 'comment'
  | 'status_check'
  | 'reply'
  | 'label'
  | 'refresh'
  | 'sync'
  | 'backport'
  | 'read_checks'
  | 'retry_check'
  | 'run_gate'
  | 'close_bot_pull_request';
export type IntentState = 'planned' | 'started' | 'done' | 'failed' | 'void';

export const IntentEntity = defineEntity({
  name: 'Intent',
  tableName: 'intent',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    queueId: p.bigint('string'),
    batchId: p.bigint('string').nullable(),
    pullRequestId: p.bigint('string').nullable(),
    kind: p.string().$type<IntentKind>(),
    key: p.string(),
    state: p.string().$type<IntentState>().default('planned'),
    attempt: p.integer().default(0),
    nextTryAt: p.datetime().nullable(),
    payload: p.json<Record<string, unknown>>().onCreate(() => ({})),
    outcome: p.json<Record<string, unknown>>().nullable(),
    plannedAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    concludedAt: p.datetime().nullable(),
  },
});

export type QueueRow = InferEntity<typeof QueueEntity>;
export type PullRequestRow = InferEntity<typeof PullRequestEntity>;
export type BatchRow = InferEntity<typeof BatchEntity>;
export type BatchMemberRow = InferEntity<typeof BatchMemberEntity>;
export type BatchAssumptionRow = InferEntity<typeof BatchAssumptionEntity>;
export type BotPullRequestRow = InferEntity<typeof BotPullRequestEntity>;
export type IntentRow = InferEntity<typeof IntentEntity>;
