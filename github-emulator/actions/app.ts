// GitHub Actions is one of GitHub's own Apps. The token in a job is a token of its installation.
import type { Core } from '../core.ts';
import { makeToken } from '../model/ids.ts';
import { makeAccount } from '../model/seed.ts';
import type { Account, App, Repository } from '../model/types.ts';

export const actionsSlug = 'github-actions';
// The id that Actions has on GitHub.com.
const actionsId = 15_368;
const tokenLifeMs = 3_600_000;

export function actionsApp(core: Core): App {
  const { state } = core;
  const found = state.apps.find(({ slug }) => slug === actionsSlug);
  if (found !== undefined) return found;
  const owner = makeAccount(core, { login: 'github', type: 'Organization', name: 'GitHub' });
  const bot = makeAccount(core, { login: `${actionsSlug}[bot]`, type: 'Bot', appId: actionsId });
  const at = core.now();
  return state.apps.insert({
    id: actionsId,
    slug: actionsSlug,
    name: 'GitHub Actions',
    description: 'Automate your workflow from idea to production',
    ownerId: owner.id,
    botId: bot.id,
    clientId: 'Iv1.05c79e9ad1f6bdfa',
    clientSecret: '',
    publicKeys: [],
    webhook: { url: null, secret: null, isActive: false },
    externalUrl: 'https://help.github.com/en/actions',
    callbackUrls: [],
    setupUrl: null,
    isPublic: true,
    permissions: { actions: 'write', checks: 'write', contents: 'write', pull_requests: 'write', statuses: 'write' },
    events: [],
    createdAt: at,
    updatedAt: at,
  });
}

export function actionsBot(core: Core): Account {
  return core.state.accounts.must(actionsApp(core).botId);
}

/** Makes the GITHUB_TOKEN of a job. It is for one repository, and is valid for at most an hour. */
export function makeJobToken(core: Core, repository: Repository): string {
  const app = actionsApp(core);
  const { state } = core;
  const at = core.now();
  const installation =
    state.installations.find((each) => each.appId === app.id && each.accountId === repository.ownerId) ??
    state.installations.insert({
      appId: app.id,
      accountId: repository.ownerId,
      repositorySelection: 'all',
      repositoryIds: [],
      permissions: { metadata: 'read', issues: 'write', ...app.permissions },
      events: [],
      suspendedAt: null,
      suspendedById: null,
      createdAt: at,
      updatedAt: at,
    });
  return state.tokens.insert({
    token: makeToken(core.random, 'installation', app.id),
    kind: 'installation',
    userId: null,
    appId: app.id,
    installationId: installation.id,
    permissions: null,
    repositoryIds: [repository.id],
    scopes: [],
    expiresAt: new Date(core.clock() + tokenLifeMs).toISOString(),
    createdAt: at,
  }).token;
}

export function endJobToken(core: Core, token: string): void {
  const row = core.state.tokens.find((each) => each.token === token);
  if (row !== undefined) core.state.tokens.remove(row.id);
}
