import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type {
  CandidateStatus,
  DeploymentKind,
  DeploymentStatus,
  EnvironmentTier,
  FreezeSource,
  ProviderSettings,
} from '../../domain/releases/release.ts';
import { drivenColumns } from '../../platform/turns/columns.ts';

export const ReleaseProjectEntity = defineEntity({
  name: 'ReleaseProject',
  tableName: 'release_project',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    name: p.string(),
    repositoryId: p.bigint('string'),
    buildProvider: p.json<ProviderSettings>().nullable(),
    buildSecret: p.blob().nullable(),
    buildProviderSince: p.datetime().nullable(),
    buildTimeoutSec: p.integer().default(3600),
    createdAt: p.datetime(),
  },
});

export const EnvironmentEntity = defineEntity({
  name: 'Environment',
  tableName: 'environment',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    projectId: p.bigint('string'),
    name: p.string(),
    position: p.integer(),
    tier: p.string().$type<EnvironmentTier>(),
    provider: p.json<ProviderSettings>(),
    providerSecret: p.blob().nullable(),
    providerSince: p.datetime().nullable(),
    reportTimeoutSec: p.integer().default(3600),
    freezeAfterRollback: p.boolean().default(false),
    freezeAfterRollbackSec: p.integer().nullable(),
    currentDeploymentId: p.bigint('string').nullable(),
    fence: p.bigint('number').default(0),
    version: p.bigint('number').default(0),
    nextFreezeChangeAt: p.datetime().nullable(),
    announcedFrozen: p.boolean().default(false),
    createdAt: p.datetime(),
  },
});

export const ReleaseEntity = defineEntity({
  name: 'Release',
  tableName: 'release',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    projectId: p.bigint('string'),
    version: p.string(),
    createdAt: p.datetime(),
  },
});

export const ReleaseCandidateEntity = defineEntity({
  name: 'ReleaseCandidate',
  tableName: 'release_candidate',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    projectId: p.bigint('string'),
    releaseId: p.bigint('string'),
    version: p.string(),
    number: p.integer(),
    commit: p.string(),
    repositoryId: p.bigint('string'),
    status: p.string().$type<CandidateStatus>(),
    revision: p.bigint('number').default(0),
    errorMessage: p.string().nullable(),
    providerRun: p.string().nullable(),
    triggeredAt: p.datetime().nullable(),
    cancelRequestedAt: p.datetime().nullable(),
    cancelSentAt: p.datetime().nullable(),
    ...drivenColumns(),
    actor: p.string(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
});

export const DeploymentEntity = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    environmentId: p.bigint('string'),
    candidateId: p.bigint('string'),
    fromCandidateId: p.bigint('string').nullable(),
    kind: p.string().$type<DeploymentKind>(),
    rollbackOfId: p.bigint('string').nullable(),
    status: p.string().$type<DeploymentStatus>(),
    revision: p.bigint('number').default(0),
    errorMessage: p.string().nullable(),
    forced: p.boolean().default(false),
    reported: p.boolean().default(false),
    fence: p.bigint('number').nullable(),
    providerRun: p.string().nullable(),
    triggerStartedAt: p.datetime().nullable(),
    reportedSinceStart: p.boolean().default(false),
    triggeredAt: p.datetime().nullable(),
    cancelRequestedAt: p.datetime().nullable(),
    cancelSentAt: p.datetime().nullable(),
    cancelPending: p.boolean().default(false),
    ...drivenColumns(),
    actor: p.string(),
    createdAt: p.datetime(),
    deployStartAt: p.datetime().nullable(),
    lastStartAt: p.datetime().nullable(),
    deployEndAt: p.datetime().nullable(),
    statusAt: p.datetime(),
  },
});

export const FreezeEntity = defineEntity({
  name: 'Freeze',
  tableName: 'freeze_rule',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    environmentId: p.bigint('string').nullable(),
    repositoryId: p.bigint('string').nullable(),
    baseBranches: p.string().nullable(),
    source: p.string().$type<FreezeSource>(),
    reason: p.string().nullable(),
    startsAt: p.datetime().nullable(),
    endsAt: p.datetime().nullable(),
    cronStart: p.string().nullable(),
    cronEnd: p.string().nullable(),
    timezone: p.string().nullable(),
    createdBy: p.string(),
    createdAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
  },
});

export type ReleaseProjectRow = InferEntity<typeof ReleaseProjectEntity>;
export type EnvironmentRow = InferEntity<typeof EnvironmentEntity>;
export type ReleaseRow = InferEntity<typeof ReleaseEntity>;
export type ReleaseCandidateRow = InferEntity<typeof ReleaseCandidateEntity>;
export type DeploymentRow = InferEntity<typeof DeploymentEntity>;
export type FreezeRow = InferEntity<typeof FreezeEntity>;
