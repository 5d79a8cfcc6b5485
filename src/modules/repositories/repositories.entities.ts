import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The last refused configuration file on the default branch. */
export interface ConfigurationRefusalRow {
  readonly commit: string;
  /** Handle of the user who pushed the file. Null: the host does not know the user. */
  readonly by: string | null;
  readonly errors: readonly string[];
  /** RFC 3339. */
  readonly at: string;
}

export const RepositoryEntity = defineEntity({
  name: 'Repository',
  tableName: 'repository',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    owner: p.string(),
    name: p.string(),
    host: p.string().$type<'local' | 'github'>(),
    defaultBranch: p.string().default('main'),
    active: p.boolean().default(true),
    deactivatedAt: p.datetime().nullable(),
    preparingSince: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
    removedAt: p.datetime().nullable(),
    paused: p.boolean().default(false),
    configurationYaml: p.text(),
    configurationHash: p.string(),
    configurationBlob: p.string().nullable(),
    configurationRefusal: p.json().$type<ConfigurationRefusalRow>().nullable(),
    plannerVersion: p.integer().default(1),
    createdAt: p.datetime(),
  },
});

export const ConfigurationChangeEntity = defineEntity({
  name: 'ConfigurationChange',
  tableName: 'configuration_change',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    repositoryId: p.bigint('string'),
    yaml: p.text(),
    diff: p.text(),
    email: p.string().nullable(),
    ghUsername: p.string().nullable(),
    commitSha: p.string().nullable(),
    modifiedAt: p.datetime(),
  },
});

export const BranchPauseEntity = defineEntity({
  name: 'BranchPause',
  tableName: 'branch_pause',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    repositoryId: p.bigint('string'),
    pattern: p.text(),
    paused: p.boolean(),
    pausedMessage: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

export type RepositoryRow = InferEntity<typeof RepositoryEntity>;
export type ConfigurationChangeRow = InferEntity<typeof ConfigurationChangeEntity>;
export type BranchPauseRow = InferEntity<typeof BranchPauseEntity>;
