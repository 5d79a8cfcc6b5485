// Makes accounts, Apps, installations, tokens and repositories, for a new state and for tests.
import { generateKeyPairSync } from 'node:crypto';
import type { RandomSource } from '../faults/random.ts';
import { makeToken, randomWord } from './ids.ts';
import type { State } from './state.ts';
import type { AccessToken, Account, App, Installation, Permissions, Repository } from './types.ts';

/** The permissions that the App requests by default. A merge queue needs them. */
export const defaultPermissions: Permissions = {
  metadata: 'read',
  contents: 'write',
  workflows: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'read',
  actions: 'write',
  administration: 'read',
  members: 'read',
};

export const defaultEvents = [
  'push',
  'pull_request',
  'pull_request_review',
  'pull_request_review_thread',
  'issue_comment',
  'check_run',
  'check_suite',
  'status',
  'workflow_run',
  'repository',
  'branch_protection_rule',
  'repository_ruleset',
];

export interface Maker {
  readonly state: State;
  readonly random: RandomSource;
  readonly now: () => string;
}

export interface NewApp {
  readonly slug: string;
  readonly name: string;
  readonly owner: Account;
  readonly permissions: Permissions;
  readonly events: string[];
  readonly webhook: App['webhook'];
  readonly callbackUrls: string[];
  readonly externalUrl: string;
  readonly setupUrl: string | null;
  readonly isPublic: boolean;
}

export function makeAccount(
  { state, now }: Maker,
  given: { readonly login: string; readonly type: Account['type']; readonly appId?: number; readonly name?: string },
): Account {
  const at = now();
  const email = given.type === 'User' ? `${given.login}@example.com` : null;
  const account = {
    ...given,
    name: given.name ?? null,
    appId: given.appId ?? null,
    email,
    createdAt: at,
    updatedAt: at,
  };
  return state.accounts.insert(account);
}

/** Makes an App. The private key is only returned and not stored, as at GitHub. */
export function makeApp(maker: Maker, given: NewApp): { app: App; privateKey: string } {
  const { state, random, now } = maker;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const id = state.nextId();
  const bot = makeAccount(maker, { login: `${given.slug}[bot]`, type: 'Bot', appId: id });
  const { owner, ...rest } = given;
  const app = state.apps.insert({
    ...rest,
    id,
    description: null,
    ownerId: owner.id,
    botId: bot.id,
    clientId: `Iv23li${randomWord(random, 14)}`,
    clientSecret: randomWord(random, 40).toLowerCase(),
    publicKeys: [publicKey],
    createdAt: now(),
    updatedAt: now(),
  });
  return { app, privateKey };
}

export function makeInstallation(
  { state, now }: Maker,
  given: { readonly app: App; readonly account: Account; readonly repositories?: readonly Repository[] },
): Installation {
  return state.installations.insert({
    appId: given.app.id,
    accountId: given.account.id,
    repositorySelection: given.repositories === undefined ? 'all' : 'selected',
    repositoryIds: (given.repositories ?? []).map(({ id }) => id),
    permissions: given.app.permissions,
    events: given.app.events,
    suspendedAt: null,
    suspendedById: null,
    createdAt: now(),
    updatedAt: now(),
  });
}

export function makePersonalToken({ state, random, now }: Maker, account: Account): AccessToken {
  return state.tokens.insert({
    token: makeToken(random, 'personal', null),
    kind: 'personal',
    userId: account.id,
    appId: null,
    installationId: null,
    permissions: null,
    repositoryIds: null,
    scopes: ['admin:org', 'repo', 'workflow'],
    expiresAt: null,
    createdAt: now(),
  });
}

export function makeRepository(
  { state, now }: Maker,
  given: { readonly owner: Account; readonly name: string } & Partial<Repository>,
): Repository {
  const { owner, ...rest } = given;
  const at = now();
  const repository = state.repositories.insert({
    description: null,
    isPrivate: false,
    isArchived: false,
    defaultBranch: 'main',
    parentId: null,
    pushedAt: at,
    allowMergeCommit: true,
    allowSquashMerge: true,
    allowRebaseMerge: true,
    allowUpdateBranch: false,
    allowAutoMerge: false,
    deleteBranchOnMerge: false,
    supportsDrafts: true,
    collaborators: [],
    teams: [],
    nextNumber: 1,
    createdAt: at,
    updatedAt: at,
    ...rest,
    ownerId: owner.id,
  });
  for (const label of defaultLabels) state.labels.insert({ ...label, repositoryId: repository.id });
  return repository;
}

const defaultLabels = [
  { name: 'bug', color: 'd73a4a', description: "Something isn't working" },
  { name: 'documentation', color: '0075ca', description: 'Improvements or additions to documentation' },
  { name: 'enhancement', color: 'a2eeef', description: 'New feature or request' },
];
