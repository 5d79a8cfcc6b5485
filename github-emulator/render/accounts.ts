// People, organisations, teams, Apps and installations, in the form of REST and webhooks.
import type { Core } from '../core.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Account, App, Installation, Team } from '../model/types.ts';

export type Json = Record<string, unknown>;

export function accountNodeId(account: Account): string {
  const kind = account.type === 'User' ? 'accounts' : account.type === 'Bot' ? 'bots' : 'organizations';
  return nodeIdOf(kind, account.id);
}

export function renderAccount({ urls }: Core, account: Account): Json {
  const url = `${urls.api}/users/${encodeURIComponent(account.login)}`;
  const page = account.type === 'Bot' ? `apps/${account.login.replace('[bot]', '')}` : account.login;
  return {
    login: account.login,
    id: account.id,
    node_id: accountNodeId(account),
    avatar_url: `${urls.web}/avatars/u/${account.id}`,
    gravatar_id: '',
    url,
    html_url: `${urls.web}/${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

export function renderAccountOf(core: Core, id: number | null): Json | null {
  const account = core.state.accounts.get(id);
  return account === undefined ? null : renderAccount(core, account);
}

export function renderProfile(core: Core, account: Account): Json {
  const { state } = core;
  return {
    ...renderAccount(core, account),
    name: account.name,
    company: null,
    blog: '',
    location: null,
    email: account.email,
    hireable: null,
    bio: null,
    public_repos: state.repositories.filter((each) => each.ownerId === account.id && !each.isPrivate).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
  };
}

export function renderOwnProfile(core: Core, account: Account): Json {
  return {
    ...renderProfile(core, account),
    private_gists: 0,
    total_private_repos: core.state.repositories.filter((each) => each.ownerId === account.id && each.isPrivate).length,
    owned_private_repos: 0,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: true,
  };
}

export function renderOrganization({ urls }: Core, account: Account): Json {
  const url = `${urls.api}/orgs/${account.login}`;
  return {
    login: account.login,
    id: account.id,
    node_id: accountNodeId(account),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${urls.web}/avatars/u/${account.id}`,
    description: null,
  };
}

export function renderFullOrganization(core: Core, account: Account): Json {
  return {
    ...renderOrganization(core, account),
    has_organization_projects: false,
    has_repository_projects: false,
    public_repos: core.state.repositories.filter((each) => each.ownerId === account.id && !each.isPrivate).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    html_url: `${core.urls.web}/${account.login}`,
    type: account.type,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
    archived_at: null,
  };
}

export function renderTeam(core: Core, team: Team): Json {
  const organization = core.state.accounts.must(team.organizationId);
  const url = `${core.urls.api}/organizations/${organization.id}/team/${team.id}`;
  return {
    id: team.id,
    node_id: nodeIdOf('teams', team.id),
    name: team.name,
    slug: team.slug,
    description: null,
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    permission: 'pull',
    type: 'organization',
    organization_id: organization.id,
    url,
    html_url: `${core.urls.web}/orgs/${organization.login}/teams/${team.slug}`,
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    parent: null,
  };
}

export function renderFullTeam(core: Core, team: Team): Json {
  const organization = core.state.accounts.must(team.organizationId);
  return {
    ...renderTeam(core, team),
    members_count: team.memberIds.length,
    repos_count: core.state.repositories.filter((each) => each.teams.some(({ teamId }) => teamId === team.id)).length,
    created_at: team.createdAt,
    updated_at: team.updatedAt,
    organization: renderFullOrganization(core, organization),
  };
}

export function renderApp(core: Core, app: App): Json {
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    node_id: nodeIdOf('apps', app.id),
    owner: renderAccountOf(core, app.ownerId),
    name: app.name,
    description: app.description,
    external_url: app.externalUrl,
    html_url: `${core.urls.web}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.updatedAt,
    permissions: app.permissions,
    events: app.events,
    installations_count: core.state.installations.filter((each) => each.appId === app.id).length,
  };
}

export function renderAppOf(core: Core, id: number | null): Json | null {
  const app = core.state.apps.get(id);
  return app === undefined ? null : renderApp(core, app);
}

export function renderInstallation(core: Core, installation: Installation): Json {
  const { urls, state } = core;
  const account = state.accounts.must(installation.accountId);
  const app = state.apps.must(installation.appId);
  const scope = account.type === 'Organization' ? `organizations/${account.login}/settings` : 'settings';
  return {
    id: installation.id,
    client_id: app.clientId,
    account: renderAccount(core, account),
    repository_selection: installation.repositorySelection,
    access_tokens_url: `${urls.api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${urls.api}/installation/repositories`,
    html_url: `${urls.web}/${scope}/installations/${installation.id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: installation.permissions,
    events: installation.events,
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: renderAccountOf(core, installation.suspendedById),
    suspended_at: installation.suspendedAt,
  };
}
