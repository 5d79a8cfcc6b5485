import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type {
  PreviewEntry,
  PreviewImageKind,
  SandboxState,
  Verdict,
  VerificationCause,
  VerificationStatus,
} from '../../domain/previews/preview.ts';
import type { RegistrationEnd } from '../../domain/previews/registration.ts';
import type { CheckOutcome } from '../../domain/previews/verification.status.ts';
import { drivenColumns } from '../../platform/turns/columns.ts';

export const PreviewImageEntity = defineEntity({
  name: 'PreviewImage',
  tableName: 'preview_image',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    name: p.string(),
    kind: p.string().$type<PreviewImageKind>(),
    source: p.string(),
    createdBy: p.string(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const PreviewSecretEntity = defineEntity({
  name: 'PreviewSecret',
  tableName: 'preview_secret',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    key: p.string(),
    sealed: p.blob(),
    createdBy: p.string(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const PreviewRegistrationEntity = defineEntity({
  name: 'PreviewRegistration',
  tableName: 'preview_registration',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    repositoryId: p.bigint('string'),
    name: p.string(),
    commit: p.string(),
    url: p.string(),
    branch: p.string().nullable(),
    prNumber: p.integer().nullable(),
    secrets: p.blob().nullable(),
    expiresAt: p.datetime(),
    createdBy: p.string(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    endReason: p.string().$type<RegistrationEnd>().nullable(),
  },
});

export const VerificationEntity = defineEntity({
  name: 'Verification',
  tableName: 'verification',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    repositoryId: p.bigint('string'),
    pullRequestId: p.bigint('string'),
    headCommit: p.string(),
    attempt: p.integer(),
    cause: p.string().$type<VerificationCause>(),
    status: p.string().$type<VerificationStatus>(),
    preview: p.json<PreviewEntry>().nullable(),
    previewName: p.string().nullable(),
    degraded: p.boolean().default(false),
    verdict: p.string().$type<Verdict>().nullable(),
    summary: p.string().nullable(),
    registrationId: p.bigint('string').nullable(),
    waitUntil: p.datetime().nullable(),
    expiresAt: p.datetime().nullable(),
    revision: p.bigint('number').default(0),
    cancelRequestedAt: p.datetime().nullable(),
    publishedCheck: p.string().$type<CheckOutcome>().nullable(),
    ...drivenColumns(),
    createdBy: p.string(),
    createdAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});

export const PreviewSandboxEntity = defineEntity({
  name: 'PreviewSandbox',
  tableName: 'preview_sandbox',
  properties: {
    accountId: p.bigint('string'),
    id: p.bigint('string').primary(),
    verificationId: p.bigint('string'),
    name: p.string(),
    kind: p.string().$type<'docker' | 'process'>(),
    state: p.string().$type<SandboxState>(),
    slug: p.string(),
    address: p.string().nullable(),
    wayKey: p.blob().nullable(),
    port: p.integer(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
    readyAt: p.datetime().nullable(),
    goneAt: p.datetime().nullable(),
  },
});

export type PreviewImageRow = InferEntity<typeof PreviewImageEntity>;
export type PreviewSecretRow = InferEntity<typeof PreviewSecretEntity>;
export type PreviewRegistrationRow = InferEntity<typeof PreviewRegistrationEntity>;
export type VerificationRow = InferEntity<typeof VerificationEntity>;
export type PreviewSandboxRow = InferEntity<typeof PreviewSandboxEntity>;
