import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type {
  AgentKind,
  PrMode,
  RunbookCommitState,
  RunbookPullRequestState,
  StepStatus,
} from '../../domain/runbooks/runbook.ts';
import { drivenColumns } from '../../platform/turns/columns.ts';

export const RunbookDefaultsEntity = defineEntity({
  name: 'RunbookDefaults',
  tableName: 'runbook_defaults',
  properties: {
    accountId: p.bigint('string'),
    repositoryId: p.bigint('string').primary(),
    draft: p.boolean().default(false),
    prMode: p.string().$type<PrMode>().default('single_pr'),
    targetBranch: p.string().nullable(),
    queueWhenGreen: p.boolean().default(false),
    budgetMicros: p.bigint('number').default(5000000),
    workflowFiles: p.boolean().default(false),
    updatedAt: p.datetime(),
  },
});

export const RunbookEntity = defineEntity({
  name: 'Runbook',
  tableName: 'runbook',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    number: p.integer(),
    repositoryId: p.bigint('string'),
    title: p.string(),
    titleGiven: p.boolean(),
    authorUserId: p.bigint('string').nullable(),
    authorEmail: p.string(),
    authorHandle: p.string().nullable(),
    createdBy: p.string(),
    draft: p.boolean(),
    prMode: p.string().$type<PrMode>(),
    targetBranch: p.string(),
    description: p.string().nullable(),
    descriptionIn: p.integer().nullable(),
    labels: p.array().default([]),
    queueWhenGreen: p.boolean(),
    workflowFiles: p.boolean(),
    agent: p.string().$type<AgentKind>(),
    budgetMicros: p.bigint('number'),
    spentMicros: p.bigint('number').default(0),
    inputTokens: p.bigint('number').default(0),
    outputTokens: p.bigint('number').default(0),
    version: p.bigint('number').default(0),
    cancelRequestedAt: p.datetime().nullable(),
    publishRequestedAt: p.datetime().nullable(),
    /** When the agent's present work reaches its time limit. */
    dueAt: p.datetime().nullable(),
    ...drivenColumns(),
    /** The `call_at` after the last attempt that the code host ended and that `calls` does not count. Null: none. */
    uncountedCallAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

export const RunbookPromptEntity = defineEntity({
  name: 'RunbookPrompt',
  tableName: 'runbook_prompt',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    runbookId: p.bigint('string'),
    ordinal: p.integer(),
    text: p.string(),
    author: p.string(),
    createdAt: p.datetime(),
    plannedAt: p.datetime().nullable(),
    attempts: p.integer().default(0),
  },
});

export const RunbookStepEntity = defineEntity({
  name: 'RunbookStep',
  tableName: 'runbook_step',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    runbookId: p.bigint('string'),
    parentId: p.bigint('string').nullable(),
    promptOrdinal: p.integer(),
    number: p.string(),
    position: p.integer(),
    title: p.string(),
    instructions: p.json<unknown>().onCreate(() => ({})),
    status: p.string().$type<StepStatus>().nullable(),
    attempts: p.integer().default(0),
    summary: p.string().nullable(),
    errorMessage: p.string().nullable(),
    passedOver: p.boolean().default(false),
    baseCommit: p.string().nullable(),
    startedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});

export const RunbookPullRequestEntity = defineEntity({
  name: 'RunbookPullRequest',
  tableName: 'runbook_pull_request',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    runbookId: p.bigint('string'),
    ordinal: p.integer(),
    branch: p.string(),
    baseBranch: p.string(),
    baseCommit: p.string(),
    headCommit: p.string().nullable(),
    state: p.string().$type<RunbookPullRequestState>(),
    number: p.integer().nullable(),
    url: p.string().nullable(),
    isStale: p.boolean().default(true),
    labels: p.array().default([]),
    queuedAt: p.datetime().nullable(),
    queuedHead: p.string().nullable(),
    openedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});

export const RunbookCommitEntity = defineEntity({
  name: 'RunbookCommit',
  tableName: 'runbook_commit',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    runbookId: p.bigint('string'),
    stepId: p.bigint('string'),
    pullRequestId: p.bigint('string'),
    parent: p.string(),
    commit: p.string(),
    message: p.string(),
    files: p.integer(),
    state: p.string().$type<RunbookCommitState>(),
    isLost: p.boolean().default(false),
    at: p.datetime(),
  },
});

export type RunbookDefaultsRow = InferEntity<typeof RunbookDefaultsEntity>;
export type RunbookRow = InferEntity<typeof RunbookEntity>;
export type RunbookPromptRow = InferEntity<typeof RunbookPromptEntity>;
export type RunbookStepRow = InferEntity<typeof RunbookStepEntity>;
export type RunbookPullRequestRow = InferEntity<typeof RunbookPullRequestEntity>;
export type RunbookCommitRow = InferEntity<typeof RunbookCommitEntity>;
