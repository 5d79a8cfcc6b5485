import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

const text = p.string;
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.bigint('string').primary(),
    name: text(),
    plan: text().$type<'community' | 'pro' | 'enterprise'>().default('enterprise'),
    timezone: text().default('UTC'),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export const AccountUserEntity = defineEntity({
  name: 'AccountUser',
  tableName: 'account_user',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    email: text(),
    handle: text().nullable(),
    role: text().$type<'admin' | 'maintainer' | 'member'>().default('member'),
    isService: p.boolean().default(false),
    removedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export const ApiTokenEntity = defineEntity({
  name: 'ApiToken',
  tableName: 'api_token',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    userId: p.bigint('string'),
    kind: text().$type<'account' | 'user'>(),
    name: text(),
    lookup: text(),
    tokenHmac: p.blob(),
    scopes: p.array(),
    signsWebhooks: p.boolean().default(false),
    signingKey: p.blob().nullable(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    endsWith: p.bigint('string').nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export type AccountRow = InferEntity<typeof AccountEntity>;
export type AccountUserRow = InferEntity<typeof AccountUserEntity>;
export type ApiTokenRow = InferEntity<typeof ApiTokenEntity>;
